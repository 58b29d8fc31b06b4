import type { Awaitable, Caller } from '@bellwether/kernel';
import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { chatBodySchema } from '../answering';
import { Access, type BellwetherRequest, CurrentCaller, OpenAiErrors } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { completionSchema } from './completion.openapi';
import { CompletionsService } from './completions.service';
import { ModelListDto } from './model.dto';
import { ModelsService } from './models.service';

/** The two routes that LAMB also answers without `v1`. */
@ApiTags('LAMB')
@OpenAiErrors()
@Controller()
export class OpenAiRootController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly models: ModelsService,
  ) {}

  @Get('models')
  @Access({ scope: 'chat', summary: 'As GET /v1/models, for clients without v1 in their base URL' })
  list(
    @CurrentCaller() caller: Caller,
    @Query('after') after?: string,
    @Query('limit') limit?: string,
  ): Promise<ModelListDto> {
    return this.models.list(caller, { after, limit });
  }

  @Post('chat/completions')
  @Idempotent()
  @Access({ scope: 'chat', summary: 'As POST /v1/chat/completions, for clients without v1 in their base URL' })
  @ApiBody({ schema: chatBodySchema(true) })
  @ApiOkResponse(completionSchema)
  complete(@Req() request: BellwetherRequest, @Res() response: Response): Awaitable<void> {
    return this.completions.answerModel(request, response);
  }
}

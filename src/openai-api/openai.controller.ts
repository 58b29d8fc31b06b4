import type { Awaitable, Caller } from '@bellwether/kernel';
import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, type BellwetherRequest, CurrentCaller, OpenAiErrors } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { chatBodySchema } from '../answering';
import { completionSchema } from './completion.openapi';
import { CompletionsService } from './completions.service';
import { ModelDto, ModelListDto } from './model.dto';
import { ModelsService } from './models.service';

@ApiTags('OpenAI')
@OpenAiErrors()
@Controller('v1')
export class OpenAiController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly models: ModelsService,
  ) {}

  @Get('models')
  @Access({ scope: 'chat', summary: 'Assistants that the caller may use, as models' })
  @ApiQuery({ name: 'after', required: false, description: 'Id of the last model of the page before' })
  @ApiQuery({ name: 'limit', required: false, description: 'Most models of the answer, 1 to 5,000 (the default)' })
  list(
    @CurrentCaller() caller: Caller,
    @Query('after') after?: string,
    @Query('limit') limit?: string,
  ): Promise<ModelListDto> {
    return this.models.list(caller, { after, limit });
  }

  @Get('models/:model')
  @Access({ scope: 'chat', summary: 'One assistant as a model' })
  get(@CurrentCaller() caller: Caller, @Param('model') model: string): Promise<ModelDto> {
    return this.models.get(caller, model);
  }

  // Takes the plain request and response: no pipe runs, and `CompletionsService` writes the stream.
  @Post('chat/completions')
  @Idempotent()
  @Access({ scope: 'chat', summary: 'Complete a chat with an assistant', description: 'OpenAI request and response.' })
  @ApiBody({ schema: chatBodySchema(true) })
  @ApiOkResponse(completionSchema)
  complete(@Req() request: BellwetherRequest, @Res() response: Response): Awaitable<void> {
    return this.completions.answerModel(request, response);
  }
}

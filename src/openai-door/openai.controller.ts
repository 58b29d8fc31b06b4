import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AppError, type Caller } from '../kernel';
import { Access, type BellwetherRequest, CurrentCaller, OpenAiErrors } from '../platform/http';
import { Idempotent } from '../platform/idempotency';
import { chatBodySchema, readChatRequestWithModel, callerOf, assistantIdOf, modelNotFound } from '../answering';
import { completionSchema } from './completions/completion.openapi';
import { CompletionsService } from './completions/completions.service';
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
  @ApiOkResponse({ type: ModelListDto })
  list(
    @CurrentCaller() caller: Caller,
    @Query('after') after?: string,
    @Query('limit') limit?: string,
  ): Promise<ModelListDto> {
    return this.models.list(caller, { after, limit });
  }

  @Get('models/:model')
  @Access({ scope: 'chat', summary: 'One assistant as a model' })
  @ApiOkResponse({ type: ModelDto })
  get(@CurrentCaller() caller: Caller, @Param('model') model: string): Promise<ModelDto> {
    return this.models.get(caller, model);
  }

  // Takes the plain request and response: no pipe runs, and `CompletionsService` writes the stream.
  @Post('chat/completions')
  @Idempotent()
  @Access({ scope: 'chat', summary: 'Complete a chat with an assistant', description: 'OpenAI request and response.' })
  @ApiBody({ schema: chatBodySchema(true) })
  @ApiOkResponse(completionSchema)
  async complete(@Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    const caller = callerOf(request);
    const chat = readChatRequestWithModel(request.body);
    try {
      await this.completions.answer(caller, assistantIdOf(chat.model), chat, response);
    } catch (error) {
      throw error instanceof AppError && error.code === 'not_found' ? modelNotFound(chat.model) : error;
    }
  }
}

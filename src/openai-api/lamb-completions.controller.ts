import { invalid } from '@bellwether/kernel';
import { Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { assistantIdIn, callerOf, chatBodySchema, readChatRequest } from '../answering';
import { Access, type BellwetherRequest, OpenAiErrors } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { AssistantModels } from './assistant-models.service';
import { completionSchema } from './completion.openapi';
import { CompletionsService, withMessages } from './completions.service';

/** LAMB's completion route: the assistant is named in the query. */
@ApiTags('LAMB')
@OpenAiErrors()
@Controller('lamb/v1/completions')
export class LambCompletionsController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly names: AssistantModels,
  ) {}

  @Post()
  @Idempotent()
  @Access({ scope: 'chat', summary: 'Complete a chat with an assistant', description: 'OpenAI request and response.' })
  @ApiQuery({ name: 'assistant', required: false, type: 'integer' })
  @ApiQuery({ name: 'assistant_id', required: false, type: 'integer', description: 'Alias of `assistant`' })
  @ApiBody({ schema: chatBodySchema(false) })
  @ApiOkResponse(completionSchema)
  async complete(
    @Query('assistant') assistant: string | undefined,
    @Query('assistant_id') alias: string | undefined,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const id = assistant ?? alias;
    if (id === undefined) throw invalid([{ path: 'assistant', message: 'is required in the query' }]);
    const chat = readChatRequest(withMessages(request.body));
    const caller = callerOf(request);
    await this.completions.answer(caller, await this.names.numbered(caller, assistantIdIn(id)), chat, response);
  }
}

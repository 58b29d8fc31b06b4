import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, type BellwetherRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { assistantIdIn, callerOf, chatBodySchema, readChatRequest } from '../answering';
import { AssistantModels } from './assistant-models.service';
import { completionSchema } from './completion.openapi';
import { CompletionsService } from './completions.service';

@ApiTags('Completions')
@Controller('api/v1/assistants/:id/completions')
export class AssistantCompletionsController {
  constructor(
    private readonly completions: CompletionsService,
    private readonly names: AssistantModels,
  ) {}

  @Post()
  @Idempotent()
  @Access({
    scope: 'chat',
    summary: 'Complete a chat with this assistant',
    description: 'OpenAI request and response.',
  })
  @ApiParam({ name: 'id', type: 'integer' })
  @ApiBody({ schema: chatBodySchema(false) })
  @ApiOkResponse(completionSchema)
  async complete(@Param('id') id: string, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    const chat = readChatRequest(request.body);
    const caller = callerOf(request);
    await this.completions.answer(caller, await this.names.idHere(caller, assistantIdIn(id)), chat, response);
  }
}

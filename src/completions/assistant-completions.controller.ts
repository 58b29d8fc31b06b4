import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { notFound } from '../kernel';
import { Access, type BellwetherRequest } from '../platform/http';
import { Idempotent } from '../platform/idempotency';
import { callerOf } from './caller-of';
import { readChatRequest } from './chat-request';
import { chatBodySchema, completionSchema } from './completion.openapi';
import { CompletionsService } from './completions.service';

const MAX_ID = 2_147_483_647;

/** An id in a path or query; anything that cannot be one is an assistant that does not exist. */
export function assistantIdIn(text: unknown): number {
  const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id < 1 || id > MAX_ID) throw notFound('Assistant');
  return id;
}

@ApiTags('Completions')
@Controller('api/v1/assistants/:id/completions')
export class AssistantCompletionsController {
  constructor(private readonly completions: CompletionsService) {}

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
    await this.completions.answer(callerOf(request), assistantIdIn(id), chat, response);
  }
}

import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../kernel';
import type { ChatRequest } from './chat-request';
import { CompletionEngine } from './completion-engine.service';
import { CompletionOpening } from './completion-opening.service';
import type { Completion } from './completion.types';
import { JsonWriter } from './json-writer';
import { StreamWriter } from './stream-writer';
import { CLIENT_GONE } from './streams-in-flight';

/** Answers one completion over HTTP, from the caller's question to the last byte. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly engine: CompletionEngine,
  ) {}

  /** Writes the answer. Rejects only while a status can still be sent. */
  async answer(caller: Caller, assistantId: number, request: ChatRequest, response: Response): Promise<void> {
    const completion = await this.opening.open({ caller, assistant: assistantId, request });
    response.setHeader('X-Run-Id', completion.run.id);
    abortWhenGone(response, completion);
    const writer = request.stream ? new StreamWriter(response, completion) : new JsonWriter(response, completion);
    await this.engine.run(completion, writer);
  }
}

/** Listens on the response: the request of a parsed POST closes at once, whether the client stays or not. */
function abortWhenGone(response: Response, { run }: Completion): void {
  const gone = (): void => {
    if (!response.writableFinished) run.abort(CLIENT_GONE);
  };
  if (response.closed || response.destroyed) gone();
  else response.once('close', gone);
}

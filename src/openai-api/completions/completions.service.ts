import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { AnswerPipeline, Backpressure, type ChatRequest, CompletionOpening } from '../../answering';
import type { Caller } from '../../kernel';
import { LimitReached, type RateLimit } from '../../metering';
import { type BellwetherRequest, clientAbortSignal } from '../../infrastructure/http';
import { sendJson } from '../frames/json.sink';
import { sendStream } from '../frames/stream.sink';

/** Answers completions over HTTP. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly opening: CompletionOpening,
    private readonly pipeline: AnswerPipeline,
  ) {}

  /** Rejects only before the first byte. */
  async answer(caller: Caller, assistantId: number, request: ChatRequest, response: Response): Promise<void> {
    const opening = { caller, assistant: assistantId, request };
    const { hasPlace } = response.req as BellwetherRequest;
    const asked = hasPlace === true ? opening : { ...opening, gone: () => clientAbortSignal(response) };
    const completion = await this.opening.open(asked).catch((error: unknown) => {
      if (error instanceof LimitReached) tellRateLimit(response, error.rateLimit);
      throw error;
    });
    response.setHeader('X-Run-Id', completion.run.id);
    const { rateLimit } = completion.meter;
    if (rateLimit !== null) tellRateLimit(response, rateLimit);
    const pressure = new Backpressure();
    const answer = this.pipeline.answer(completion, pressure);
    await (request.stream
      ? sendStream(answer, { completion, response, pressure })
      : sendJson(answer, completion, response));
  }
}

/** draft-ietf-httpapi-ratelimit-headers-06, section 5: the rule that is nearest to its end. */
function tellRateLimit(response: Response, { limit, remaining, resetSeconds }: RateLimit): void {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
}

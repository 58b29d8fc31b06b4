import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { RequestHandler, Response } from 'express';
import { AccessGuard, CredentialMiddleware } from '../auth';
import { ACCESS_METADATA, type AccessRule, type BellwetherRequest, readBody } from '../infrastructure/http';
import { CompletionsService } from './completions.service';
import { OpenAiController } from './openai.controller';

/** Both are routes of a controller, which answers what is not plain. */
const PATHS: ReadonlySet<string> = new Set(['/v1/chat/completions', '/chat/completions']);
/** Longest plain body. Bytes. */
const MOST_BYTES = 65_536;
const JSON_TYPE = /^application\/json(?:; *charset=utf-8)?$/i;
/** Headers that need more than a plain completion gets: other credentials, repeats, unpacking. */
const OTHERS = ['cookie', 'x-api-key', 'idempotency-key', 'content-encoding', 'transfer-encoding', 'expect'] as const;

type Failed = (error: unknown, request: BellwetherRequest, response: Response) => void;

/** True for a completion with a key and a short JSON body. */
function isPlain({ method, url, headers }: BellwetherRequest): boolean {
  if (method !== 'POST' || !PATHS.has(url) || headers.authorization === undefined) return false;
  const length = Number(headers['content-length']);
  if (!(length > 0 && length <= MOST_BYTES) || !JSON_TYPE.test(headers['content-type'] ?? '')) return false;
  return OTHERS.every((name) => headers[name] === undefined);
}

/**
 * Answers plain completions without the router, guards, interceptors and pipes of Express and Nest: the same credential,
 * place, body, permission and answer, by the same functions (ADR-0035). Everything else goes on to them.
 */
@Injectable()
export class CompletionFastPath {
  private readonly rule: AccessRule;

  constructor(
    reflector: Reflector,
    private readonly credentials: CredentialMiddleware,
    private readonly guard: AccessGuard,
    private readonly completions: CompletionsService,
  ) {
    const route = Object.getOwnPropertyDescriptor(OpenAiController.prototype, 'complete') as { value: () => void };
    this.rule = reflector.get<AccessRule>(ACCESS_METADATA, route.value);
  }

  /** `failed` answers an error before the first byte. */
  handler(failed: Failed): RequestHandler {
    return (request: BellwetherRequest, response, next) => {
      if (!isPlain(request)) return next();
      void this.answer(request, response, failed);
    };
  }

  private async answer(request: BellwetherRequest, response: Response, failed: Failed): Promise<void> {
    try {
      const entered = this.credentials.enter(request, response);
      if (entered instanceof Promise) await entered;
      request.body = await readBody(request, response);
      // Metrics tell requests by their route; one that the router never got has none.
      Object.assign(request, { params: {}, route: { path: request.url } });
      const admitted = this.guard.enter(this.rule, request);
      if (admitted instanceof Promise) await admitted;
      const answered = this.completions.answerModel(request, response);
      if (answered instanceof Promise) await answered;
    } catch (error) {
      failed(error, request, response);
    }
  }
}

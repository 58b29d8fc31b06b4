import { createHash } from 'node:crypto';
import { AppError, invalid } from '@bellwether/kernel';
import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
  applyDecorators,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Observable, catchError, concatMap, from, of, throwError } from 'rxjs';
import { pendingEffects } from '../database';
import { type BellwetherRequest, writeJson } from '../http';
import { type Claimed, IdempotencyService } from './idempotency.service';
import { ResponseTape, type StoredResponse, headersOf } from './response-tape';

interface IdempotentOptions {
  /** Encrypts the stored answer, for answers that show a secret once. */
  readonly sealed?: boolean;
  /** True for requests without an effect: their key is ignored. */
  readonly unless?: (request: BellwetherRequest) => boolean;
}

/**
 * Honours `Idempotency-Key` on a POST with an effect. On an upload route, put this *above* `@AcceptFiles()`: it then
 * compares the uploads by their bytes.
 */
export const Idempotent = ({ sealed = false, unless }: IdempotentOptions = {}): MethodDecorator =>
  applyDecorators(
    SetMetadata(IDEMPOTENT_METADATA, { sealed, unless }),
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Up to 255 characters. The same key and body within 24 hours get the same answer, without a second effect.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );

/**
 * SHA-256 over query, body and end user: a gateway asks for several people. `AcceptFiles` describes uploads by name and
 * digest. An unread upload counts by its length: its raw bytes differ at each try by the multipart boundary.
 */
export async function bodyHash(request: BellwetherRequest): Promise<string> {
  const body: unknown = request.body ?? null;
  const unread = body === null && request.is('multipart/form-data') ? (request.headers['content-length'] ?? '') : '';
  const endUser = request.caller?.endUser;
  const hash = createHash('sha256');
  const facts = { query: request.query, body, unread, ...(endUser === undefined ? {} : { endUser: endUser.id }) };
  // Sorted: the order of members does not change the hash.
  await writeJson(facts, 'sorted', (text) => hash.update(text));
  return hash.digest('hex');
}

export const IDEMPOTENT_METADATA = 'bellwether:idempotent';
/** Options of `@Idempotent`. */
interface KeptAnswers {
  readonly sealed: boolean;
  readonly unless: ((request: BellwetherRequest) => boolean) | undefined;
}

const MAX_KEY_LENGTH = 255;

/** @throws {AppError} `validation_failed` */
function keyOf(request: BellwetherRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw invalid([{ path: 'Idempotency-Key', message: `must hold 1 to ${MAX_KEY_LENGTH} characters` }]);
}

/**
 * Replays the first answer to a repeated request. Keeps answers with a status below 400: a failed request has no
 * effect, so its key is free again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    @Inject(IdempotencyService) private readonly idempotency: IdempotencyService,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<BellwetherRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const key = keyOf(request);
    const { sealed, unless } = this.reflector.get<KeptAnswers>(IDEMPOTENT_METADATA, context.getHandler());
    if (key === null || unless?.(request) === true) return next.handle();
    const { caller } = request;
    if (caller === undefined) throw new AppError('unauthenticated', 'A credential is required');
    const scope = {
      organizationId: caller.organizationId,
      callerId: caller.credentialId ?? caller.userId,
      route: `${request.method} ${request.path}`,
      key,
    };
    const admission = await this.idempotency.admit(scope, await bodyHash(request), sealed);
    if ('replay' in admission) return of(replay(response, admission.replay));
    return perform(response, next, admission.claimed);
  }
}

function replay(response: Response, stored: StoredResponse): unknown {
  response.setHeader('Idempotent-Replayed', 'true');
  for (const [name, value] of Object.entries(stored.headers)) response.setHeader(name, value);
  // Replaces the status that Nest has set from the decorator of the route.
  response.status(stored.status);
  if (stored.body.kind === 'value') return stored.body.json;
  // A route that writes its own answer makes Nest leave the response alone.
  response.end(Buffer.from(stored.body.base64, 'base64'));
  return undefined;
}

function perform(response: Response, next: CallHandler, claimed: Claimed): Observable<unknown> {
  let open = true;
  const close = async (end: () => Promise<void>): Promise<void> => {
    if (!open) return;
    open = false;
    await end();
  };
  const release = (): Promise<void> => close(() => claimed.release());
  const tape: ResponseTape = new ResponseTape(response, () => {
    // Only a complete answer can be replayed.
    const whole = !response.closed && response.statusCode < 400;
    return whole ? close(() => claimed.complete(tape.stored())) : release();
  });
  const keep = async (value: unknown): Promise<unknown> => {
    if (tape.manual) {
      if (response.closed) await release();
      else response.once('close', () => void release());
      return value;
    }
    // Kept even when the client has left: its next try must find the effect.
    tape.stop();
    const body = { kind: 'value', json: value } as const;
    await close(() => claimed.complete({ status: response.statusCode, headers: headersOf(response), body }));
    return value;
  };
  // Nest runs the handler in the asynchronous context of this call.
  return pendingEffects
    .run(claimed.effects, () => next.handle())
    .pipe(
      concatMap((value) => from(keep(value))),
      catchError((error: unknown) => {
        tape.stop();
        return from(release()).pipe(concatMap(() => throwError(() => error)));
      }),
    );
}

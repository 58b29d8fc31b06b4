import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger as Pino } from 'pino';
import { addToTrail, readTraceparent } from '../context';

/** Parts of an address after which a credential stands: of a sign-in, a launch or a registration. Proxies may send an absolute URL (RFC 9112 §3.2.2). */
const CREDENTIAL = /(\/(?:sign-in|lti\/(?:open|arrival|register))\/).+/i;

/** A path without credentials, and without its query, which may hold typed text. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(CREDENTIAL, '$1…');

type Handler = (request: IncomingMessage & { id?: unknown }, response: ServerResponse, next: () => void) => void;

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** A well-formed `X-Request-Id` of the client, else a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Told of every request, whatever its end. */
export interface RequestObserver {
  /** Called after the request has its id. */
  began(request: IncomingMessage): void;
  ended(request: IncomingMessage, response: ServerResponse, durationMs: number): void;
}

/** Gives every request an id, sent in the answer. Logs each answer as `debug`, or `error` from 500 on. */
export const requestLog =
  (logger: Pino, observers: readonly RequestObserver[]): Handler =>
  (request, response, next) => {
    const id = requestIdOf(request);
    const path = loggedPath(request.url ?? '');
    request.id = id;
    const traceId = readTraceparent(request.headers['traceparent'])?.traceId ?? null;
    addToTrail({ requestId: id, traceId });
    response.setHeader('X-Request-Id', id);
    const started = performance.now();
    for (const observer of observers) observer.began(request);
    response.once('close', () => {
      for (const observer of observers) observer.ended(request, response, performance.now() - started);
      // A response with Retry-After is a refusal, which is logged where it was decided.
      const failed = response.statusCode >= 500 && !response.hasHeader('Retry-After');
      if (!failed && !logger.isLevelEnabled('debug')) return;
      logger[failed ? 'error' : 'debug']({
        msg: response.writableFinished ? 'answered' : 'client left',
        request_id: id,
        ...(traceId === null ? {} : { trace_id: traceId }),
        method: request.method,
        path,
        status: response.statusCode,
        ms: Math.round(performance.now() - started),
      });
    });
    next();
  };

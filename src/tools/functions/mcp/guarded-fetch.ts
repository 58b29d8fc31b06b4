import type { Dispatcher } from 'undici';
import { AppError } from '../../../kernel';
import { traceHeaders } from '../../../infrastructure/context';
import { type OutboundClient, outboundFailure } from '../../../infrastructure/outbound';

/** Bytes of one answer, streamed or not. */
export const ANSWER_BYTES = 2 * 1024 * 1024;

export interface GuardedFetch {
  readonly outbound: Pick<OutboundClient, 'dispatcher'>;
  /** The only host that is dialled. The check is needed because the SDK follows redirects within an origin. */
  readonly origin: URL;
  /** Called at the end of an answer's body, with the id of its JSON-RPC request and the failure, or null. */
  readonly onBodyEnd: (id: unknown, failure: Error | null) => void;
}

/**
 * `fetch` for the SDK's transport, over the outbound client, which checks the resolved address of every new socket.
 * Redirects are returned, not followed. GET gets 405: the SDK uses it for messages that the server pushes.
 */
export function guardedFetch({ outbound, origin, onBodyEnd }: GuardedFetch) {
  return async (target: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(target);
    const method = init.method ?? 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    if (url.hostname !== origin.hostname) throw new AppError('outbound_refused', 'The server names another host');
    try {
      const answer = await outbound.dispatcher(false).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...traceHeaders() },
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? null,
      });
      return responseOf(answer, (failure) => onBodyEnd(idIn(init.body), failure));
    } catch (error) {
      throw outboundFailure(error, { cancelled: init.signal?.aborted === true, timedOut: false });
    }
  };
}

/** Parsing is safe: the SDK serialized this body itself. */
function idIn(body: unknown): unknown {
  return typeof body === 'string' ? (JSON.parse(body) as { readonly id?: unknown }).id : undefined;
}

type OnEnd = (failure: Error | null) => void;

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(answer: Dispatcher.ResponseData, onEnd: OnEnd): Response {
  const { statusCode: status, headers } = answer;
  const flat = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  const bodiless = BODILESS.has(status);
  if (bodiless) void answer.body.dump();
  const body = bodiless ? null : ReadableStream.from(bounded(answer.body, onEnd));
  return new Response(body, { status, headers: flat });
}

async function* bounded(body: AsyncIterable<Buffer>, onEnd: OnEnd): AsyncGenerator<Uint8Array> {
  let size = 0;
  let failure: Error | null = null;
  try {
    for await (const part of body) {
      size += part.length;
      if (size > ANSWER_BYTES) throw new AppError('upstream_bad_response', 'The server sent too much');
      yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    }
  } catch (error) {
    failure = outboundFailure(error, { cancelled: false, timedOut: false });
    throw failure;
  } finally {
    onEnd(failure);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type JsonObject, atMost } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { traceHeaders } from '../../infrastructure/context';
import { encodeJson } from '../../infrastructure/http';
import { decodedBody, type OutboundClient } from '../../infrastructure/outbound';
import {
  type ModelCallContext,
  type ModelCallLimits,
  type ModelChunk,
  type ModelTarget,
  ReaderLeft,
  type TakeChunks,
} from '../contract';
import { CallDeadline } from './call-deadline';
import { type AnswerHead, type AnswerSink, exchange } from './exchange';
import { failureOfStatus, failureOfTransport, finalError, noJson, UpstreamFailure } from './upstream-failure';

interface ModelGet {
  readonly target: ModelTarget;
  /** Appended to the base URL, e.g. `/chat/completions`; may hold a query. */
  readonly path: string;
  /** The vendor's own headers, its way of being shown the key among them; OpenAI's way when absent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadline: CallDeadline;
}

export interface ModelPost extends ModelGet {
  readonly body: JsonObject;
  readonly stream: boolean;
}

/** Longest error page read, and longest plain answer. Bytes. */
const MAX_REFUSAL = 65_536;
export const MAX_BODY = 16 * 1024 * 1024;

/** One try at a vendor. Rejects with `UpstreamFailure` for a status other than 2xx and with undici's errors otherwise. */
export class ModelTransport {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly limits: ModelCallLimits,
  ) {}

  async post(input: ModelPost): Promise<Dispatcher.ResponseData> {
    return this.send(input, input.stream, { method: 'POST', body: await encodeJson(input.body) });
  }

  /**
   * Sends a request and gives its answer to the sink that `open` makes.
   * @throws `UpstreamFailure` for a status other than 2xx, undici's errors, and what the sink throws
   */
  exchange<T>(input: ModelPost, open: (head: AnswerHead) => AnswerSink<T>): Promise<T> {
    const { deadline, target } = input;
    const opened = (head: AnswerHead): AnswerSink<T> =>
      isSuccess(head) ? open(head) : new RefusalSink(head, [target.apiKey]);
    try {
      const request = this.request(input, input.stream);
      const dispatcher = this.outbound.dispatcher(target.trusted);
      const send = (body: string | Buffer): Promise<T> =>
        exchange(dispatcher, { ...request, method: 'POST', body }, deadline, opened);
      const body = encodeJson(input.body);
      return body instanceof Promise ? body.then(send) : send(body);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  get(input: ModelGet): Promise<Dispatcher.ResponseData> {
    return this.send(input, false, { method: 'GET' });
  }

  private async send(
    input: ModelGet,
    stream: boolean,
    request: Pick<Dispatcher.RequestOptions, 'method' | 'body'>,
  ): Promise<Dispatcher.ResponseData> {
    const { target, deadline } = input;
    const response = await this.outbound.dispatcher(target.trusted).request({
      ...this.request(input, stream),
      ...request,
      signal: deadline.signal,
    });
    if (isSuccess(response)) return response;
    const text = await readUpTo(decodedBody(response), MAX_REFUSAL).catch(() => '');
    throw failureOfStatus({ status: response.statusCode, headers: response.headers, text }, [target.apiKey]);
  }

  private request(input: ModelGet, stream: boolean) {
    const { origin, path } = endpoint(input.target.baseUrl, input.path);
    return {
      origin,
      path,
      headers: headersFor(input, stream),
      // The deadline of a plain call is its only timer.
      headersTimeout: stream ? this.limits.firstByteMs : 0,
      bodyTimeout: stream ? this.limits.idleMs : 0,
    };
  }

  /** The whole body as parsed JSON. @throws AppError `upstream_bad_response` */
  async json(response: Dispatcher.ResponseData, maxBytes = MAX_BODY): Promise<unknown> {
    return jsonOf(await readUpTo(decodedBody(response), maxBytes), response.statusCode);
  }
}

/** A vendor's JSON. A byte order mark before it is no part of it. @throws AppError `upstream_bad_response` */
export function jsonOf(text: string, status: number): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    throw noJson(status, text, cause);
  }
}

export const badResponse = (detail: string, cause?: unknown): AppError =>
  new AppError('upstream_bad_response', detail, cause === undefined ? {} : { cause });

export const truncated = (detail = 'The model vendor stopped in the middle of its answer'): AppError =>
  new AppError('upstream_truncated', detail);

const isSuccess = ({ statusCode }: Pick<AnswerHead, 'statusCode'>): boolean => statusCode >= 200 && statusCode < 300;

/** Reads the page of a refusal, and ends with its failure. */
class RefusalSink implements AnswerSink<never> {
  private readonly parts: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly head: AnswerHead,
    private readonly secrets: readonly (string | null)[],
  ) {}

  take(bytes: Buffer): undefined {
    this.size += bytes.length;
    if (this.size > MAX_REFUSAL) throw this.failure('');
    this.parts.push(bytes);
  }

  end(): never {
    throw this.failure(Buffer.concat(this.parts).toString('utf8'));
  }

  private failure(text: string): UpstreamFailure {
    const { statusCode: status, headers } = this.head;
    return failureOfStatus({ status, headers, text }, this.secrets);
  }
}

interface Endpoint {
  readonly origin: string;
  readonly path: string;
}

/** Parsed addresses; organizations have few. */
const endpoints = new LRUCache<string, Endpoint>(atMost(2_000));

function endpoint(baseUrl: string, path: string): Endpoint {
  const key = `${baseUrl} ${path}`;
  const known = endpoints.get(key) ?? parsedEndpoint(baseUrl, path);
  endpoints.set(key, known);
  return known;
}

function parsedEndpoint(baseUrl: string, path: string): Endpoint {
  if (!URL.canParse(baseUrl))
    throw new AppError('connector_not_configured', 'The base URL of the model vendor is not valid');
  const url = new URL(baseUrl);
  const [pathname = '', search = ''] = path.split('?');
  url.pathname = url.pathname.replace(/\/$/, '') + pathname;
  if (search !== '') url.search = search;
  return { origin: url.origin, path: url.pathname + url.search };
}

const headersFor = ({ target, headers }: ModelGet, stream: boolean): Record<string, string> => ({
  'content-type': 'application/json',
  accept: stream ? 'text/event-stream, application/x-ndjson' : 'application/json',
  // A compressed stream arrives in blocks, not by the token.
  'accept-encoding': 'identity',
  'user-agent': 'bellwether',
  ...(headers ?? (target.apiKey === null ? {} : { authorization: `Bearer ${target.apiKey}` })),
  ...(target.continuesTraces === true ? traceHeaders() : {}),
});

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw badResponse('The model vendor sent too much');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Milliseconds to wait before try `attempt + 1`. Null without a next try: the failure is final, tries or time are used
 * up, or the wait exceeds `maxWaitMs`. `Retry-After` replaces the backoff and is never shortened.
 */
export function retryDelay(
  failure: UpstreamFailure,
  attempt: number,
  limits: ModelCallLimits,
  remainingMs: number,
  random: () => number = Math.random,
): number | null {
  if (!failure.retryable || attempt >= limits.tries) return null;
  const backoff = limits.backoffMs * 2 ** (attempt - 1) * (1 - random() / 4);
  const wait = failure.retryAfterMs ?? backoff;
  return wait > limits.maxWaitMs || wait >= remainingMs ? null : wait;
}

/** Resolves when the next try may begin. @throws the failure's `AppError` when there is none */
async function waitForRetry(
  error: unknown,
  attempt: number,
  limits: ModelCallLimits,
  deadline: CallDeadline,
): Promise<void> {
  const failure = failureOfTransport(error, deadline);
  const budget = Math.min(deadline.remainingMs, limits.plainTotalMs);
  const delay = retryDelay(failure, attempt, limits, budget);
  if (delay === null) throw finalError(failure, attempt);
  try {
    await sleep(delay, undefined, { signal: deadline.signal });
  } catch (aborted) {
    throw failureOfTransport(aborted, deadline).error;
  }
}

/** A plain call: as many tries as the limits allow, one deadline over all. Rejects with `AppError` only. */
export function callModel<T>(
  limits: ModelCallLimits,
  context: Pick<ModelCallContext, 'signal'>,
  attempt: (deadline: CallDeadline) => Promise<T>,
): Promise<T> {
  const deadline = new CallDeadline(context.signal, limits.plainTotalMs);
  const again = async (error: unknown, tries: number): Promise<T> => {
    try {
      await waitForRetry(error, tries, limits, deadline);
    } catch (final) {
      deadline.dispose();
      throw final;
    }
    return from(tries + 1);
  };
  const from = (tries: number): Promise<T> =>
    attempt(deadline).then(
      (answer) => {
        deadline.dispose();
        return answer;
      },
      (error: unknown) => again(error, tries),
    );
  return from(1);
}

/** Turns the bytes of one streamed answer into chunks; made anew for every try. */
export interface ChunkReader {
  /** True once nothing more is expected, so that the socket can be left to drain. */
  readonly done: boolean;
  /** True once a finish reason was read: what breaks after it is no loss. */
  readonly finished: boolean;
  read(bytes: Buffer, chunks: ModelChunk[]): void;
  /** The chunks held back until the end. @throws AppError when the answer is not whole */
  end(): readonly ModelChunk[];
}

/** Gives what a reader finds in the bytes of a stream to `take`, in the same turn. */
export class StreamSink implements AnswerSink<void> {
  done = false;
  finished = false;

  constructor(
    private readonly reader: ChunkReader,
    private readonly give: TakeChunks,
  ) {}

  take(bytes: Buffer): Promise<void> | undefined {
    const { reader } = this;
    const chunks: ModelChunk[] = [];
    try {
      reader.read(bytes, chunks);
      this.done = reader.done;
      this.finished = reader.finished;
    } catch (error) {
      return this.giveBefore(error, chunks);
    }
    return chunks.length === 0 ? undefined : this.give(chunks);
  }

  end(): Promise<void> | undefined {
    const last = this.reader.end();
    return last.length === 0 ? undefined : this.give(last);
  }

  /** Complete chunks before a fault still go to the client. */
  private giveBefore(fault: unknown, chunks: readonly ModelChunk[]): Promise<void> {
    const held = chunks.length === 0 ? undefined : this.give(chunks);
    if (held === undefined) throw fault;
    return held.then(() => Promise.reject(fault as Error));
  }
}

/** A streamed call: tries again until the first chunks were handed over, never after. Rejects with `AppError` or `ReaderLeft`. */
export async function streamModel(
  limits: ModelCallLimits,
  context: ModelCallContext,
  take: TakeChunks,
  attempt: (deadline: CallDeadline, take: TakeChunks) => Promise<void>,
): Promise<void> {
  const deadline = new CallDeadline(context.signal, limits.streamTotalMs);
  let begun = false;
  const taken: TakeChunks = (chunks) => {
    begun = true;
    return take(chunks);
  };
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(deadline, taken);
      } catch (error) {
        if (error instanceof ReaderLeft) throw error;
        if (begun) throw lossMidway(error, deadline);
        await waitForRetry(error, tries, limits, deadline);
      }
    }
  } finally {
    deadline.dispose();
  }
}

/** After the first chunk a lost connection means a truncated answer, whatever the socket says. */
function lossMidway(error: unknown, deadline: CallDeadline): AppError {
  if (error instanceof UpstreamFailure) return error.error;
  const { error: mapped } = failureOfTransport(error, deadline);
  return mapped.code === 'upstream_error' && !(error instanceof AppError) ? truncated() : mapped;
}

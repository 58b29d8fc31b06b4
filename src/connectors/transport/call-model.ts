import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type JsonObject, atMost } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { traceHeaders } from '../../infrastructure/context';
import { encodeJson } from '../../infrastructure/http';
import { decodedBody, type OutboundClient } from '../../infrastructure/outbound';
import type { ModelCallContext, ModelCallLimits, ModelChunk, ModelTarget } from '../contract';
import { type AnswerHead, type AnswerSink, exchange } from './exchange';
import {
  CallDeadline,
  failureOfStatus,
  failureOfTransport,
  finalError,
  noJson,
  UpstreamFailure,
} from './upstream-failure';

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
    const send = (body: string | Buffer): Promise<T> =>
      exchange(
        this.outbound.dispatcher(target.trusted),
        { ...this.request(input, false), method: 'POST', body },
        deadline,
        (head) => (isSuccess(head) ? open(head) : new RefusalSink(head, [target.apiKey])),
      );
    const body = encodeJson(input.body);
    return body instanceof Promise ? body.then(send) : send(body);
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
      headersTimeout: stream ? this.limits.firstByteMs : this.limits.plainTotalMs,
      bodyTimeout: stream ? this.limits.idleMs : this.limits.plainTotalMs,
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

  take(bytes: Buffer): boolean {
    this.size += bytes.length;
    this.parts.push(bytes);
    return this.size > MAX_REFUSAL;
  }

  end(): never {
    const { statusCode: status, headers } = this.head;
    const text = this.size > MAX_REFUSAL ? '' : Buffer.concat(this.parts).toString('utf8');
    throw failureOfStatus({ status, headers, text }, this.secrets);
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

/** How long a finished answer's socket may take to end before it is closed instead of reused. Milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Hands over what a body has received since it was last asked, and stops the socket while nobody asks: at most one read
 * is held. Cheaper than the stream's own iterator, and the socket survives a reader that is done before the body ends.
 */
export class BodyPump {
  private queue: Buffer[] = [];
  private ended = false;
  private failure: Error | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly body: Readable) {
    body.on('data', this.onData);
    body.once('end', () => {
      this.ended = true;
      this.wake?.();
    });
    body.on('error', (error) => {
      this.failure = error;
      this.wake?.();
    });
    body.once('close', () => {
      this.ended = true;
      this.wake?.();
    });
  }

  /** The buffers received; null at the end. Rejects with the transport's error. */
  async next(): Promise<readonly Buffer[] | null> {
    if (this.queue.length === 0 && !this.ended && this.failure === null) {
      this.body.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
    if (this.queue.length > 0) {
      const received = this.queue;
      this.queue = [];
      return received;
    }
    if (this.failure !== null) throw this.failure;
    return null;
  }

  /** `complete`: the rest is of no interest and the connection may be reused; otherwise it is closed at once. */
  release(complete: boolean): void {
    if (this.ended) return;
    this.body.off('data', this.onData);
    if (!complete) return void this.body.destroy();
    this.body.resume();
    const timer = setTimeout(() => this.body.destroy(), DRAIN_MS);
    timer.unref();
    this.body.once('close', () => clearTimeout(timer));
  }

  private readonly onData = (bytes: Buffer): void => {
    this.queue.push(bytes);
    if (this.wake === null) this.body.pause();
    else this.wake();
  };
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

/** Waits before the next try. @throws the failure's `AppError` when there is none */
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
export async function callModel<T>(
  limits: ModelCallLimits,
  context: Pick<ModelCallContext, 'signal'>,
  attempt: (deadline: CallDeadline) => Promise<T>,
): Promise<T> {
  const deadline = new CallDeadline(context.signal, limits.plainTotalMs);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(deadline);
      } catch (error) {
        await waitForRetry(error, tries, limits, deadline);
      }
    }
  } finally {
    deadline.dispose();
  }
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

export interface StreamAttempt {
  readonly open: (deadline: CallDeadline) => Promise<Dispatcher.ResponseData>;
  readonly reader: (response: Dispatcher.ResponseData) => ChunkReader;
}

/** A streamed call: tries again until the first chunk was handed over, never after. Rejects with `AppError` only. */
export async function* streamModel(
  limits: ModelCallLimits,
  context: ModelCallContext,
  attempt: StreamAttempt,
): AsyncGenerator<readonly ModelChunk[], void, undefined> {
  const deadline = new CallDeadline(context.signal, limits.streamTotalMs);
  try {
    for (let tries = 1; ; tries += 1) {
      let begun = false;
      try {
        for await (const chunks of readAnswer(deadline, attempt)) {
          begun = true;
          yield chunks;
        }
        return;
      } catch (error) {
        if (begun) throw lossMidway(error, deadline);
        await waitForRetry(error, tries, limits, deadline);
      }
    }
  } finally {
    deadline.dispose();
  }
}

async function* readAnswer(
  deadline: CallDeadline,
  attempt: StreamAttempt,
): AsyncGenerator<readonly ModelChunk[], void, undefined> {
  const response = await attempt.open(deadline);
  const pump = new BodyPump(decodedBody(response));
  let complete = false;
  try {
    const reader = attempt.reader(response);
    while (!reader.done) {
      const received = await nextRead(pump, reader);
      if (received === null) break;
      const chunks: ModelChunk[] = [];
      let fault: Error | null = null;
      try {
        for (const bytes of received) reader.read(bytes, chunks);
      } catch (error) {
        fault = error as Error;
      }
      // Complete chunks before the fault still go to the client.
      if (chunks.length > 0) yield chunks;
      if (fault !== null) throw fault;
    }
    const last = reader.end();
    complete = true;
    if (last.length > 0) yield last;
  } finally {
    pump.release(complete);
  }
}

/** A connection that breaks or stalls after the finish reason has lost nothing but the usage. */
async function nextRead(pump: BodyPump, reader: ChunkReader): Promise<readonly Buffer[] | null> {
  try {
    return await pump.next();
  } catch (error) {
    if (reader.finished) return null;
    throw error;
  }
}

/** After the first chunk a lost connection means a truncated answer, whatever the socket says. */
function lossMidway(error: unknown, deadline: CallDeadline): AppError {
  if (error instanceof UpstreamFailure) return error.error;
  const { error: mapped } = failureOfTransport(error, deadline);
  return mapped.code === 'upstream_error' && !(error instanceof AppError) ? truncated() : mapped;
}

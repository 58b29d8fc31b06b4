import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/*
 * A scripted vendor of embeddings: OpenAI's `POST /v1/embeddings` and Ollama's `POST /api/embed`.
 *
 *   const vendor = await startEmbeddingUpstream();
 *   vendor.fail({ fault: 'rate-limited', retryAfter: 1 }, 2);     // the next two calls
 *   vendor.dimensionsOf('other-model', 8);
 *   vendor.requests[0].texts;
 *
 * Vectors are sums over words, so texts that share words are close, and no two texts are quite unlike; models have axes of
 * their own.
 */

export const EMBEDDING_FAULTS = [
  'unauthorized',
  'rate-limited',
  'server-error',
  'too-large',
  'too-long',
  'short-list',
  'wrong-dimension',
  'not-a-number',
  'null-vector',
  'zero-vector',
  'infinite',
  'html',
  'slow',
] as const;
export type EmbeddingFault = (typeof EMBEDDING_FAULTS)[number];

export interface EmbeddingFailure {
  readonly fault: EmbeddingFault;
  /** Seconds. */
  readonly retryAfter?: number;
}

export interface EmbeddingCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  readonly model: string;
  readonly texts: readonly string[];
  /** Milliseconds (monotonic). */
  readonly at: number;
}

export interface EmbeddingUpstream {
  /** Base URL for OpenAI clients, with `/v1`. */
  readonly url: string;
  /** Without a path, for Ollama. */
  readonly origin: string;
  readonly requests: readonly EmbeddingCall[];
  /** Texts embedded so far, over all calls that were answered. */
  readonly embedded: number;
  /** Calls that are open now. */
  readonly active: number;
  /** Most calls that were open at one time. */
  readonly peak: number;
  fail(failure: EmbeddingFailure, times?: number): void;
  /** The next call is answered, whatever is to fail after it. */
  pass(): void;
  /** 16 unless said. */
  dimensionsOf(model: string, dimensions: number): void;
  /** Texts longer than this are refused, as a model with a short context does. */
  readAtMost(chars: number): void;
  /** Every answer takes so long. */
  delay(ms: number): void;
  /** Calls that match wait for `release`. */
  hold(matches: (call: Pick<EmbeddingCall, 'model' | 'texts'>) => boolean): void;
  release(): void;
  reset(): void;
  stop(): Promise<void>;
}

const DIMENSIONS = 16;
const SLOW_MS = 60_000;

export function wordVector(text: string, model: string, dimensions = DIMENSIONS): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['-']) {
    const hash = createHash('sha256').update(`${model} ${word}`).digest();
    for (let at = 0; at < dimensions; at += 1) vector[at] = (vector[at] ?? 0) + (hash[at % 32] ?? 0) / 255;
  }
  return vector;
}

export async function startEmbeddingUpstream(): Promise<EmbeddingUpstream> {
  const upstream = new ScriptedEmbeddings();
  await upstream.listen();
  return upstream;
}

class ScriptedEmbeddings implements EmbeddingUpstream {
  url = '';
  origin = '';
  embedded = 0;
  peak = 0;
  requests: EmbeddingCall[] = [];
  active = 0;
  private held: (call: Pick<EmbeddingCall, 'model' | 'texts'>) => boolean = () => false;
  private readonly waiting = new Set<() => void>();
  private failures: (EmbeddingFailure | undefined)[] = [];
  private sizes = new Map<string, number>();
  private longest = Infinity;
  private delayMs = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  async listen(): Promise<void> {
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.url = `${this.origin}/v1`;
  }

  fail(failure: EmbeddingFailure, times = 1): void {
    for (let each = 0; each < times; each += 1) this.failures.push(failure);
  }

  pass(): void {
    this.failures.push(undefined);
  }

  dimensionsOf(model: string, dimensions: number): void {
    this.sizes.set(model, dimensions);
  }

  readAtMost(chars: number): void {
    this.longest = chars;
  }

  delay(ms: number): void {
    this.delayMs = ms;
  }

  hold(matches: typeof this.held): void {
    this.held = matches;
  }

  release(): void {
    this.held = () => false;
    for (const goOn of this.waiting) goOn();
    this.waiting.clear();
  }

  reset(): void {
    this.release();
    this.requests = [];
    this.failures = [];
    this.sizes.clear();
    this.longest = Infinity;
    this.delayMs = 0;
    this.embedded = 0;
    this.peak = 0;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of message.setEncoding('utf8')) text += part as string;
    const body = JSON.parse(text) as Record<string, unknown>;
    const texts = [body['input']].flat() as string[];
    const call = { path: message.url ?? '', headers: message.headers, body, model: String(body['model']), texts };
    this.requests.push({ ...call, at: performance.now() });
    this.active += 1;
    this.peak = Math.max(this.peak, this.active);
    response.once('close', () => (this.active -= 1));
    if (this.held(call))
      await new Promise<void>((goOn) => {
        this.waiting.add(goOn);
        response.once('close', goOn);
      });
    if (this.delayMs > 0) await pause(this.delayMs, response);
    const failure = this.failures.shift();
    if (failure?.fault === 'slow') await pause(SLOW_MS, response);
    if (response.destroyed) return;
    if (failure !== undefined && refused(failure, response)) return;
    if (texts.some(({ length }) => length > this.longest)) return void refused({ fault: 'too-long' }, response);
    this.embedded += texts.length;
    this.answer({ ...call, at: 0 }, failure?.fault, response);
  }

  private answer(
    { path, model, texts, body }: EmbeddingCall,
    fault: EmbeddingFault | undefined,
    response: ServerResponse,
  ): void {
    const size =
      Number(body['dimensions'] ?? this.sizes.get(model) ?? DIMENSIONS) + (fault === 'wrong-dimension' ? 1 : 0);
    const good = texts.map((text) => wordVector(text, model, size));
    const vectors = fault === 'short-list' ? good.slice(1) : good;
    const [first] = vectors;
    if (fault === 'zero-vector') first?.fill(0);
    let json = JSON.stringify(
      path === '/api/embed'
        ? { model, embeddings: vectors }
        : // In no order, as nobody promises one.
          {
            object: 'list',
            model,
            data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
          },
    );
    const number = JSON.stringify(first?.[0]);
    if (fault === 'not-a-number') json = json.replace(number, 'NaN');
    if (fault === 'null-vector') json = json.replace(number, 'null');
    if (fault === 'infinite') json = json.replace(number, '1e999');
    response.writeHead(200, { 'content-type': 'application/json' }).end(json);
  }
}

/** True when the call was answered with a refusal. */
function refused({ fault, retryAfter }: EmbeddingFailure, response: ServerResponse): boolean {
  const say = (status: number, message: string, headers: Record<string, string> = {}): true => {
    const error = { error: { message, type: 'invalid_request_error', code: null } };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(error));
    return true;
  };
  if (fault === 'unauthorized') return say(401, 'Incorrect API key provided');
  if (fault === 'server-error') return say(500, 'internal');
  if (fault === 'too-large') return say(413, '');
  if (fault === 'too-long')
    return say(400, "This model's maximum context length is 512 tokens, however you requested 900");
  if (fault === 'rate-limited')
    return say(429, 'slow down', retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  if (fault !== 'html') return false;
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  return true;
}

/** Ends early when the caller hangs up. */
const pause = (ms: number, response: ServerResponse): Promise<void> =>
  new Promise((done) => {
    const settle = (): void => {
      clearTimeout(timer);
      response.off('close', settle);
      done();
    };
    const timer = setTimeout(settle, ms);
    response.on('close', settle);
  });

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { VendorAnswer, VendorQuestion } from '../../src/connectors/testing/scripted-vendor.types';
import { DIALECTS } from './dialects';
import { OPENAI } from './dialects/openai';
import type { Dialect } from './upstream-dialect';
import { playFault, type FaultName } from './upstream-faults';
import type { UpstreamRequest, UpstreamRequestBody } from './upstream.types';

/*
 * A scripted vendor. It speaks the wire format that the path of a call belongs to (`dialects/`).
 *
 *   const upstream = await startUpstream();
 *   upstream.expect({ content: 'Hello.' });                    // one call, plain or streamed as the caller asks
 *   upstream.expect({ toolCalls: [{ name: 'f', arguments: '{}' }] });
 *   upstream.expect({ fault: 'rate-limited', retryAfter: 1 }, { times: 3 });
 *   upstream.expect({ content: 'x', check: (request) => expect(request.body.temperature).toBe(0) });
 *   ... drive the service with base URL `upstream.url` (OpenAI's, ends in /v1) or `upstream.origin` (Ollama's) ...
 *   upstream.requests[0].body.messages;                        // what the vendor was sent
 *   upstream.questions()[0].functions;                         // the same, read back from any wire format
 *   upstream.verify();                                         // throws on unexpected and on left-over calls
 *   await upstream.stop();
 *
 * Where calls come in no fixed order use `upstream.always(reply)`: it answers whatever is not expected and is never left over.
 * A reply that depends on the call is a function: `upstream.always(({ body }) => ({ content: JSON.stringify(body.messages) }))`.
 * `by-model` scripts: `upstream.forModel('gpt-x', reply)` answers every call that names this model.
 * An unexpected call is answered with 500 and remembered; `verify()` then names it.
 */

interface Pace {
  /** Milliseconds before the first byte of the body. */
  readonly firstDelayMs?: number;
  /** Milliseconds between frames. */
  readonly delayMs?: number;
}

interface ReplyOptions {
  /** Runs when the call arrives; what it throws is reported by `verify()`. */
  readonly check?: (request: UpstreamRequest) => void;
}

export type UpstreamReply =
  | (VendorAnswer & Pace & ReplyOptions)
  | ({
      readonly fault: FaultName;
      /** Seconds. */ readonly retryAfter?: number | string;
      readonly message?: string;
    } & ReplyOptions)
  | ({ readonly raw: string; readonly status?: number; readonly headers?: Record<string, string> } & ReplyOptions);

type ReplyTo = UpstreamReply | ((request: UpstreamRequest) => UpstreamReply);

export interface Upstream {
  /** Base URL for OpenAI clients, with `/v1`. */
  readonly url: string;
  /** Without a path, for Ollama's native API. */
  readonly origin: string;
  readonly requests: readonly UpstreamRequest[];
  /** Every call so far, read back from its wire format. */
  questions(): readonly VendorQuestion[];
  /** Connections made so far; keep-alive makes it smaller than the number of requests. */
  readonly connections: number;
  /** Answers that are being written right now. */
  readonly active: number;
  /** Answers that were written to their end. */
  readonly answered: number;
  expect(reply: UpstreamReply, options?: { readonly times?: number }): Upstream;
  always(reply: ReplyTo): Upstream;
  forModel(model: string, reply: UpstreamReply): Upstream;
  /** Throws when a call was not expected, a `check` failed, or an expected call never came. Clears the script. */
  verify(): void;
  reset(): void;
  stop(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const upstream = new ScriptedUpstream();
  await upstream.listen();
  return upstream;
}

class ScriptedUpstream implements Upstream {
  url = '';
  origin = '';
  connections = 0;
  active = 0;
  answered = 0;
  requests: UpstreamRequest[] = [];
  private expected: UpstreamReply[] = [];
  private problems: string[] = [];
  private fallback: ReplyTo | null = null;
  private readonly models = new Map<string, UpstreamReply>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  async listen(): Promise<void> {
    this.server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    this.origin = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    this.url = `${this.origin}/v1`;
  }

  expect(reply: UpstreamReply, options: { readonly times?: number } = {}): this {
    for (let i = 0; i < (options.times ?? 1); i += 1) this.expected.push(reply);
    return this;
  }

  always(reply: ReplyTo): this {
    this.fallback = reply;
    return this;
  }

  forModel(model: string, reply: UpstreamReply): this {
    this.models.set(model, reply);
    return this;
  }

  verify(): void {
    const leftOver = this.expected.length;
    const problems = [...this.problems, ...(leftOver > 0 ? [`${leftOver} expected call(s) never came`] : [])];
    this.expected = [];
    this.problems = [];
    if (problems.length > 0) throw new Error(`Scripted upstream: ${problems.join('; ')}`);
  }

  reset(): void {
    this.expected = [];
    this.problems = [];
    this.requests = [];
    this.answered = 0;
    this.fallback = null;
    this.models.clear();
  }

  questions(): readonly VendorQuestion[] {
    return this.requests.map((request) => dialectOf(request).question(request));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readBody(message).catch(() => null);
    if (text === null) return;
    const request: UpstreamRequest = {
      method: message.method ?? '',
      path: message.url ?? '',
      headers: message.headers,
      body: parseBody(text),
      at: performance.now(),
      closedEarly: new Promise((done) => {
        response.once('close', () => {
          if (!response.writableFinished) done(performance.now());
        });
      }),
    };
    this.requests.push(request);
    const reply = this.take(request);
    if (reply === null) {
      this.problems.push(`unexpected ${request.method} ${request.path} for model ${String(request.body.model)}`);
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"unexpected call"}}');
      return;
    }
    this.runCheck(reply, request);
    this.active += 1;
    response.once('close', () => (this.active -= 1));
    response.once('finish', () => (this.answered += 1));
    await play(reply, request, response);
  }

  private take(request: UpstreamRequest): UpstreamReply | null {
    const forModel = this.models.get(request.body.model ?? '');
    const reply = forModel ?? this.expected.shift() ?? this.fallback;
    return typeof reply === 'function' ? reply(request) : reply;
  }

  private runCheck(reply: UpstreamReply, request: UpstreamRequest): void {
    try {
      reply.check?.(request);
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
    }
  }
}

const dialectOf = ({ path }: UpstreamRequest): Dialect =>
  DIALECTS.find((dialect) => dialect.serves(path.split('?')[0] ?? '')) ?? OPENAI;

async function play(reply: UpstreamReply, request: UpstreamRequest, response: ServerResponse): Promise<void> {
  const dialect = dialectOf(request);
  if ('fault' in reply) return playFault(reply, { dialect, request, response });
  if ('raw' in reply) {
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(reply.raw);
    return;
  }
  if (reply.coding !== undefined || reply.otherFraming === true) return playOddly(reply, request, response);
  if (!dialect.streams(request)) {
    await pause(reply.firstDelayMs ?? 0, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(dialect.whole(reply, request)));
    return;
  }
  response.writeHead(200, { 'content-type': dialect.streamType }).flushHeaders();
  await pause(reply.firstDelayMs ?? 0, response);
  for (const frame of dialect.frames(reply, request)) {
    if (response.destroyed) return;
    response.write(frame);
    await pause(reply.delayMs ?? 0, response);
  }
  response.end();
}

const CODERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync } as const;

/** A right answer in a form that nobody asked for. */
function playOddly(reply: VendorAnswer, request: UpstreamRequest, response: ServerResponse): void {
  const dialect = dialectOf(request);
  const streams = dialect.streams(request) !== (reply.otherFraming === true);
  const text = streams ? dialect.frames(reply, request).join('') : JSON.stringify(dialect.whole(reply, request));
  response.setHeader('content-type', streams ? dialect.streamType : 'application/json');
  if (reply.coding !== undefined) response.setHeader('content-encoding', reply.coding);
  response.end(reply.coding === undefined ? text : CODERS[reply.coding](text));
}

/** Ends early when the caller hangs up. */
const pause = (ms: number, response: ServerResponse): Promise<void> | void =>
  ms === 0
    ? undefined
    : new Promise((done) => {
        const settle = (): void => {
          clearTimeout(timer);
          response.off('close', settle);
          done();
        };
        const timer = setTimeout(settle, ms);
        response.on('close', settle);
      });

async function readBody(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of message.setEncoding('utf8')) text += part as string;
  return text;
}

function parseBody(text: string): UpstreamRequestBody {
  try {
    return JSON.parse(text) as UpstreamRequestBody;
  } catch {
    return {};
  }
}

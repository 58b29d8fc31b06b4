import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { playFault, type FaultName } from './upstream-faults';
import { answerBody, chunkBodies, type AnswerScript } from './upstream-shapes';

/*
 * A scripted OpenAI-compatible vendor.
 *
 *   const upstream = await startUpstream();
 *   upstream.expect({ content: 'Hello.' });                    // one call, plain or streamed as the caller asks
 *   upstream.expect({ toolCalls: [{ name: 'f', arguments: '{}' }] });
 *   upstream.expect({ fault: 'rate-limited', retryAfter: 1 }, { times: 3 });
 *   upstream.expect({ content: 'x', check: (request) => expect(request.body.temperature).toBe(0) });
 *   ... drive the service with base URL `upstream.url` (OpenAI's, ends in /v1) or `upstream.origin` (Ollama's) ...
 *   upstream.requests[0].body.messages;                        // what the vendor was sent
 *   upstream.verify();                                         // throws on unexpected and on left-over calls
 *   await upstream.stop();
 *
 * Where calls come in no fixed order use `upstream.always(reply)`: it answers whatever is not expected and is never left over.
 * `by-model` scripts: `upstream.forModel('gpt-x', reply)` answers every call that names this model.
 * An unexpected call is answered with 500 and remembered; `verify()` then names it.
 */

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: UpstreamRequestBody;
  /** Milliseconds (monotonic) at which the call arrived. */
  readonly at: number;
  /** Settles when the caller's socket closes before the answer was finished, with the monotonic milliseconds. */
  readonly closedEarly: Promise<number>;
}

export interface UpstreamRequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { role: string; content?: unknown; [member: string]: unknown }[];
  readonly [member: string]: unknown;
}

interface ReplyOptions {
  /** Runs when the call arrives; what it throws is reported by `verify()`. */
  readonly check?: (request: UpstreamRequest) => void;
}

export type UpstreamReply =
  | (AnswerScript & ReplyOptions)
  | ({
      readonly fault: FaultName;
      /** Seconds. */ readonly retryAfter?: number | string;
      readonly message?: string;
    } & ReplyOptions)
  | ({ readonly raw: string; readonly status?: number; readonly headers?: Record<string, string> } & ReplyOptions);

export interface Upstream {
  /** Base URL for OpenAI clients, with `/v1`. */
  readonly url: string;
  /** Without a path, for Ollama's native API. */
  readonly origin: string;
  readonly requests: readonly UpstreamRequest[];
  /** Connections made so far; keep-alive makes it smaller than the number of requests. */
  readonly connections: number;
  /** Answers that are being written right now. */
  readonly active: number;
  expect(reply: UpstreamReply, options?: { readonly times?: number }): Upstream;
  always(reply: UpstreamReply): Upstream;
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
  requests: UpstreamRequest[] = [];
  private expected: UpstreamReply[] = [];
  private problems: string[] = [];
  private fallback: UpstreamReply | null = null;
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

  always(reply: UpstreamReply): this {
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
    this.fallback = null;
    this.models.clear();
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
    await play(reply, request, response);
  }

  private take(request: UpstreamRequest): UpstreamReply | null {
    const forModel = this.models.get(request.body.model ?? '');
    return forModel ?? this.expected.shift() ?? this.fallback;
  }

  private runCheck(reply: UpstreamReply, request: UpstreamRequest): void {
    try {
      reply.check?.(request);
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
    }
  }
}

async function play(reply: UpstreamReply, request: UpstreamRequest, response: ServerResponse): Promise<void> {
  if ('fault' in reply) return playFault(reply, request.body.stream === true, response);
  if ('raw' in reply) {
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(reply.raw);
    return;
  }
  const model = request.body.model ?? 'scripted';
  if (request.body.stream !== true) {
    await pause(reply.firstDelayMs ?? 0, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerBody(reply, model)));
    return;
  }
  const options = request.body.stream_options as { include_usage?: boolean } | undefined;
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  await pause(reply.firstDelayMs ?? 0, response);
  for (const chunk of chunkBodies(reply, model, options?.include_usage === true)) {
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await pause(reply.delayMs ?? 0, response);
  }
  response.end('data: [DONE]\n\n');
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

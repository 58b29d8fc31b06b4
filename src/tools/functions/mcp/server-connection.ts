import { AppError, type JsonObject } from '@bellwether/kernel';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { type JSONRPCMessage, type Progress, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Dispatcher } from 'undici';
import { traceHeaders } from '../../../infrastructure/context';
import { type OutboundClient, outboundFailure } from '../../../infrastructure/outbound';
import type { McpServerRuntime } from '../../../organizations';

/** Bytes of one answer, streamed or not. */
const ANSWER_BYTES = 2 * 1024 * 1024;

interface GuardedFetch {
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
function guardedFetch({ outbound, origin, onBodyEnd }: GuardedFetch) {
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

export type Outbound = Pick<OutboundClient, 'dispatcher' | 'assertDialable'>;

/** The SDK's own timeout. The caller's signal usually ends a request earlier. */
const LONGEST_MS = 120_000;
/** Milliseconds after the end of a body in which the SDK may still parse an answer from it. */
const SETTLE_MS = 250;
/** Milliseconds for sending the cancellation and ending the session; then the sockets are closed. */
const FAREWELL_MS = 800;

/** Tells the MCP API of any Bellwether that an assistant asks. It then hides assistants that could call back. */
const HOP = { 'bellwether-hop': '1' } as const;

/** Requests that a server may send in one connection, pings included. */
const MAX_ASKED = 64;

interface Request {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

interface Options {
  readonly signal: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

/**
 * Remembers the cancellation that it sends, so that `close` can wait for it. Sends no replies to requests of the server:
 * the client offers nothing, and a hostile server could cause any number of POSTs.
 */
class Transport extends StreamableHTTPClientTransport {
  farewell: Promise<unknown> = Promise.resolve();

  override send(message: JSONRPCMessage, options?: { resumptionToken?: string }): Promise<void> {
    if (!('method' in message)) return Promise.resolve();
    const sent = super.send(message, options);
    if (message.method === 'notifications/cancelled') this.farewell = sent.catch(() => undefined);
    return sent;
  }
}

/**
 * A connection to an MCP server for one call or one listing, so that callers share no state. The client offers the
 * server no capabilities: no sampling, no elicitation, no roots.
 */
export class ServerConnection {
  private readonly answered = new Set<unknown>();
  private requestsOfServer = 0;
  /** Rejects the current request. */
  private break: (failure: Error) => void = () => undefined;

  private constructor(
    private readonly client: Client,
    private readonly transport: Transport,
  ) {
    transport.onmessage = (message) => {
      if (!('id' in message)) return;
      if ('method' in message) this.asked();
      else this.answered.add(message.id);
    };
  }

  /** Connects, runs `work` and always closes. @throws AppError, the signal's reason, errors of `work` */
  static async with<T>(
    server: McpServerRuntime,
    outbound: Outbound,
    signal: AbortSignal,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    await outbound.assertDialable(server.url);
    signal.throwIfAborted();
    const connection = ServerConnection.to(server, outbound);
    try {
      await connection.open(signal);
      return await work(connection);
    } finally {
      void connection.close();
    }
  }

  private static to({ url, token }: McpServerRuntime, outbound: Outbound): ServerConnection {
    const origin = new URL(url);
    const transport: Transport = new Transport(origin, {
      fetch: guardedFetch({ outbound, origin, onBodyEnd: (id, failure) => connection.bodyEnded(id, failure) }),
      requestInit: { headers: { ...HOP, ...(token === null ? {} : { authorization: `Bearer ${token}` }) } },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const client = new Client({ name: 'bellwether', version: '1' }, { capabilities: {} });
    const connection = new ServerConnection(client, transport);
    return connection;
  }

  /** The members of the result, unchecked. @throws AppError, McpError for the server's own error, the signal's reason */
  request(request: Request, options: Options): Promise<JsonObject> {
    return this.unbroken(options, (within) => this.client.request(request, ResultSchema, within));
  }

  private open(signal: AbortSignal): Promise<void> {
    return this.unbroken({ signal }, (within) => this.client.connect(this.transport, within));
  }

  private async unbroken<T>({ signal, ...more }: Options, work: (options: RequestOptions) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    // A separate signal, because the SDK never removes its listeners.
    const controller = new AbortController();
    const stop = (): void => controller.abort('The call was cancelled');
    signal.addEventListener('abort', stop, { once: true });
    const broken = new Promise<never>((_, reject) => {
      this.break = reject;
    });
    try {
      return await Promise.race([work({ ...more, signal: controller.signal, timeout: LONGEST_MS }), broken]);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Rejects a request whose body ended without its answer: the SDK would wait on, and streams are not resumed here. */
  private bodyEnded(id: unknown, failure: Error | null): void {
    if (id === undefined) return;
    const without = failure ?? new AppError('upstream_bad_response', 'The server ended without an answer');
    setTimeout(() => {
      if (!this.answered.has(id)) this.break(without);
    }, SETTLE_MS).unref();
  }

  private asked(): void {
    this.requestsOfServer += 1;
    if (this.requestsOfServer <= MAX_ASKED) return;
    // Ignores messages that are already in the buffer.
    this.transport.onmessage = () => undefined;
    this.break(new AppError('upstream_bad_response', 'The server asks too much'));
    void this.client.close().catch(() => undefined);
  }

  private async close(): Promise<void> {
    const patience = new Promise((done) => setTimeout(done, FAREWELL_MS).unref());
    const farewell = async (): Promise<void> => {
      await this.transport.farewell;
      await this.transport.terminateSession();
    };
    await Promise.race([farewell().catch(() => undefined), patience]);
    await this.client.close().catch(() => undefined);
  }
}

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { type JSONRPCMessage, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { AppError, type JsonObject } from '../../../kernel';
import type { McpServerRuntime } from '../../../organizations';
import type { OutboundClient } from '../../../platform/outbound';
import { guardedFetch } from './guarded-fetch';

export type Outbound = Pick<OutboundClient, 'dispatcher' | 'assertDialable'>;

/** The caller's signal bounds every wait; this one is for callers without a deadline. */
const LONGEST_MS = 120_000;
/** A body that has ended without an answer: what it held may still be on its way through the parser. */
const SETTLE_MS = 250;
/** For the cancellation and the end of the session, after which the sockets are closed. */
const FAREWELL_MS = 800;

/** Tells our own MCP door, here or elsewhere, that an assistant asks: it then offers none that could ask back. */
const HOP = { 'bellwether-hop': '1' } as const;

/** Requests of a server in one conversation, pings among them; more of them are a flood. */
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
 * Remembers the cancellation that it sends, so that closing does not overtake it. Sends no replies: the client offers
 * nothing, and each would be a POST that the server could ask for as often as it likes.
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
 * One conversation with an MCP server: made for one call or one listing, so that nothing of one caller is left for the
 * next. The client offers the server nothing: no sampling, no elicitation, no roots.
 */
export class ServerConnection {
  private readonly answered = new Set<unknown>();
  private requestsOfServer = 0;
  /** Ends the request that goes on. */
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

  /** Connects, does the work and closes, whatever comes of it. @throws AppError, the signal's reason, what `work` throws */
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
    // A signal of its own: the SDK never takes its listeners off.
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

  /** The SDK waits for the answer of a stream that has ended; nothing that ends is taken up again here. */
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
    // Data that was read already is dropped.
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

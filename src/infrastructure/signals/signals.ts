import { isJsonObject } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { CONFIG, type Config } from '../config';

const CHANNEL = 'bellwether_signals';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
/** Signals queued for a slow server. More are lost: receivers also poll. */
const MOST_WAITING = 100;
/** PostgreSQL's limit is 8,000 bytes. A longer signal would fail the whole statement. */
const MOST_BYTES = 7_900;

/** A connection that listens and notifies, and reconnects when lost. */
export class NotifyChannel {
  private readonly log = new Logger('Signals');
  /** Own notifications come back: this id filters them. */
  private readonly self = randomUUID();
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private waiting: string[] = [];
  private sending: Promise<void> | null = null;
  private closed = false;
  private connecting: Promise<void> | null = null;

  constructor(
    private readonly url: string,
    private readonly heard: (topic: string, payload: string) => void,
  ) {}

  get isConnected(): boolean {
    return this.client !== null;
  }

  open(): void {
    this.connecting ??= this.connect().finally(() => (this.connecting = null));
  }

  send(topic: string, payload: string): void {
    if (this.client === null || this.waiting.length >= MOST_WAITING) return;
    const message = JSON.stringify({ from: this.self, topic, payload });
    if (Buffer.byteLength(message) > MOST_BYTES) return;
    this.waiting.push(message);
    this.sending ??= this.sendAll().finally(() => (this.sending = null));
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.connecting;
    await this.sending;
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  /** Sends queued signals in one statement. */
  private async sendAll(): Promise<void> {
    while (this.client !== null && this.waiting.length > 0) {
      const messages = this.waiting;
      this.waiting = [];
      try {
        await this.client.query('SELECT pg_notify($1, m) FROM unnest($2::text[]) m', [CHANNEL, messages]);
      } catch (error) {
        this.log.debug({ msg: 'signals were not sent', count: messages.length, err: error });
      }
    }
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'bellwether-signals',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('notification', ({ payload }) => this.hear(payload ?? ''));
    client.on('error', () => this.lost(client));
    client.on('end', () => this.lost(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      if (this.closed) return await client.end();
      this.client = client;
      this.pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      this.log.debug({ msg: 'no connection for signals', err: error });
      client.end().catch(() => undefined);
      this.again();
    }
  }

  private lost(client: Client): void {
    if (this.client !== client) return;
    this.client = null;
    this.waiting = [];
    client.end().catch(() => undefined);
    this.again();
  }

  private again(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => this.open(), this.pauseMs);
    this.timer.unref();
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  private hear(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (!isJsonObject(message) || message['from'] === this.self) return;
    const { topic, payload } = message;
    if (typeof topic === 'string' && typeof payload === 'string') this.heard(topic, payload);
  }
}

export type SignalHandler = (payload: string) => void;

/**
 * Hints between modules and processes. Handlers of this process are called at once, others within milliseconds on a
 * server. A signal may get lost: receivers also poll.
 */
@Injectable()
export class Signals implements OnApplicationShutdown {
  private readonly log = new Logger('Signals');
  private readonly handlers = new Map<string, Set<SignalHandler>>();
  private channel: NotifyChannel | null = null;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Connects to other processes. On an embedded database signals stay in this process. */
  start(): void {
    const { url, sessionUrl } = this.config.database;
    if (url === null || this.channel !== null) return;
    this.channel = new NotifyChannel(sessionUrl ?? url, (topic, payload) => this.tell(topic, payload));
    this.channel.open();
  }

  get state(): string {
    if (this.channel === null) return this.config.database.url === null ? 'ok' : 'not started';
    return this.channel.isConnected ? 'ok' : 'reconnecting';
  }

  /** Returns the function that removes the handler. A handler must not throw. */
  on(topic: string, handler: SignalHandler): () => void {
    const handlers = this.handlers.get(topic) ?? new Set();
    this.handlers.set(topic, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** A payload over 7,000 bytes stays in this process: PostgreSQL limits notifications to 8,000. */
  publish(topic: string, payload: string): void {
    this.tell(topic, payload);
    this.channel?.send(topic, payload);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.channel?.close();
    this.channel = null;
  }

  private tell(topic: string, payload: string): void {
    for (const handler of this.handlers.get(topic) ?? []) {
      try {
        handler(payload);
      } catch (error) {
        this.log.error({ msg: 'a signal could not be handled', topic, err: error });
      }
    }
  }
}

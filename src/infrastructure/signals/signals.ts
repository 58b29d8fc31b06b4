import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../config';
import { NotifyChannel } from './notify-channel';

export type SignalHandler = (payload: string) => void;

/**
 * Hints between rooms and processes. Handlers of this process are called at once, others within milliseconds on a
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

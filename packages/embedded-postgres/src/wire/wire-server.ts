import { type Server, type Socket, createServer } from 'node:net';
import type { Engine } from '../engine';
import type { ErrorFields } from './messages';
import { Session } from './session';
import { type EngineMutexOptions, type Holder, SharedEngine } from './shared-engine';

const SHUTTING_DOWN: ErrorFields = {
  severity: 'FATAL',
  code: '57P01',
  message: 'the embedded database is shutting down',
};
const CRASHED: ErrorFields = { severity: 'FATAL', code: '57P02', message: 'the embedded database has crashed' };

/** Serves PostgreSQL's protocol on a unix socket: one engine, any number of clients. */
export class WireServer {
  private readonly sessions = new Set<Session>();
  private readonly server: Server;
  private count = 0;

  private constructor(private readonly shared: SharedEngine) {
    this.server = createServer((socket) => this.welcome(socket));
  }

  /** Calls `broke` at most once, after hanging up on every client. */
  static async over(engine: Engine, options: EngineMutexOptions, broke: (error: unknown) => void): Promise<WireServer> {
    let crashed = false;
    const crash = (error: unknown): void => {
      if (crashed) return;
      crashed = true;
      server.hangUp(CRASHED);
      broke(error);
    };
    const server: WireServer = new WireServer(await SharedEngine.over(engine, options, crash));
    return server;
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(path, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  /** Runs `work` while no transaction is open. */
  async quietly<T>(work: () => Promise<T>): Promise<T> {
    const holder: Holder = { evict: () => undefined };
    await this.shared.mutex.enter(holder, true);
    try {
      return await work();
    } finally {
      this.shared.mutex.leave(holder);
    }
  }

  /** Hangs up on every client. Resolves when every open transaction is rolled back. */
  async close(): Promise<void> {
    this.server.close();
    const sessions = [...this.sessions];
    this.hangUp(SHUTTING_DOWN);
    await Promise.all(sessions.map((session) => session.end()));
  }

  private hangUp(reason: ErrorFields): void {
    this.server.close();
    for (const session of this.sessions) session.fail(reason);
  }

  private welcome(socket: Socket): void {
    const session = new Session(++this.count, socket, this.shared);
    this.sessions.add(session);
    socket.on('close', () => this.sessions.delete(session));
  }
}

import { HEADER, query } from './messages';

const MENTIONED = /listen/i;
const LISTEN = /\blisten\s+("(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)/gi;
const UNLISTEN = /\bunlisten\s+(\*|"(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)/gi;

/** Channels by session. The engine is one session: it delivers each notification once. */
export class Channels<Session> {
  private readonly bySession = new Map<Session, Set<string>>();

  /**
   * Reads the channels from the statements. A rolled-back or quoted LISTEN may add one too many: harmless, clients
   * ignore unknown channels.
   */
  observe(session: Session, texts: readonly string[]): void {
    for (const sql of texts) if (MENTIONED.test(sql)) this.read(session, sql);
  }

  /** True when the session had listened. */
  forget(session: Session): boolean {
    const channels = this.bySession.get(session);
    this.bySession.delete(session);
    return (channels?.size ?? 0) > 0;
  }

  listeners(channel: string): Session[] {
    return [...this.bySession].filter(([, channels]) => channels.has(channel)).map(([session]) => session);
  }

  /** Makes the engine listen to the channels of all sessions, and to no other. */
  restore(): Buffer {
    const all = new Set([...this.bySession.values()].flatMap((channels) => [...channels]));
    const statements = ['UNLISTEN *', ...[...all].map((name) => `LISTEN "${name.replaceAll('"', '""')}"`)];
    return query(statements.join('; '));
  }

  private read(session: Session, sql: string): void {
    const channels = this.bySession.get(session) ?? new Set<string>();
    for (const [, name = ''] of sql.matchAll(UNLISTEN)) {
      if (name === '*') channels.clear();
      else channels.delete(folded(name));
    }
    for (const [, name = ''] of sql.matchAll(LISTEN)) channels.add(folded(name));
    this.bySession.set(session, channels);
  }
}

/** The channel of a NotificationResponse. */
export function channelOf(notification: Buffer): string {
  const start = HEADER + 4;
  return notification.toString('utf8', start, notification.indexOf(0, start));
}

const folded = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();

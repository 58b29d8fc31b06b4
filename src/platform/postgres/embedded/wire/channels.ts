import { HEADER, query } from './messages';

const MENTIONED = /listen/i;
const LISTEN = /\blisten\s+("(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)/gi;
const UNLISTEN = /\bunlisten\s+(\*|"(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)/gi;

/** Who listens to which channel. The engine, being one session, delivers every notification once, to whoever has it. */
export class Channels<Session> {
  private readonly bySession = new Map<Session, Set<string>>();

  /**
   * Reads the channels off the statements. What a rolled-back or merely quoted LISTEN adds does no harm: a
   * notification is a hint, and clients ignore channels they do not know.
   */
  observe(session: Session, texts: readonly string[]): void {
    for (const sql of texts) if (MENTIONED.test(sql)) this.read(session, sql);
  }

  /** True when it had been listening. */
  forget(session: Session): boolean {
    const channels = this.bySession.get(session);
    this.bySession.delete(session);
    return (channels?.size ?? 0) > 0;
  }

  listeners(channel: string): Session[] {
    return [...this.bySession].filter(([, channels]) => channels.has(channel)).map(([session]) => session);
  }

  /** Makes the engine listen to what somebody still listens to, and to nothing else. */
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

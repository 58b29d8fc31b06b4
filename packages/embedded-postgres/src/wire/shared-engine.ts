import type { Engine } from '../engine';
import {
  type FrontendMessage,
  HEADER,
  type TransactionStatus,
  backendFrames,
  copyFail,
  errorResponse,
  query,
  readCstring,
  readError,
  readRow,
} from './messages';
import { SettingsSwitch } from './settings';
import type { ExpectedAnswer, SessionStatements, SharedStatements } from './statements';

interface Request {
  readonly messages: Buffer;
  readonly texts: readonly string[];
  readonly expected: readonly ExpectedAnswer[];
}

export interface Answer {
  /** Parts of the answer for the client, in order. */
  readonly parts: readonly Buffer[];
  /** Null when the turn is not over. */
  readonly status: TransactionStatus | null;
  /** First words of the commands that completed: SELECT, SET, DISCARD ALL … */
  readonly tags: readonly string[];
  readonly notifications: readonly Buffer[];
  readonly failed: boolean;
}

const COPY_REFUSED = 'COPY FROM STDIN is not supported by the embedded database';

export const mayCopyIn = (sql: string): boolean => /\bcopy\b/i.test(sql) && /\bstdin\b/i.test(sql);

/** Rewrites the client's messages for the engine. `guardCopy` tells whether a COPY FROM STDIN may be among them. */
export function toRequest(
  batch: readonly FrontendMessage[],
  statements: SessionStatements,
  guardCopy: (texts: readonly string[]) => boolean,
): Request {
  const texts = batch.flatMap(textOf);
  const guarded = guardCopy(texts);
  const frames: Buffer[] = [];
  const expected: ExpectedAnswer[] = [];
  for (const message of batch) {
    const rewritten = statements.rewrite(message);
    frames.push(...rewritten.frames);
    expected.push(...rewritten.expected);
    // The engine would wait for copy data for ever. Outside a COPY it ignores this message.
    if (guarded && (message.type === 'Q' || message.type === 'E')) frames.push(copyFail(COPY_REFUSED));
  }
  return { messages: Buffer.concat(frames), texts, expected };
}

function textOf({ type, frame }: FrontendMessage): string[] {
  if (type === 'Q') return [readCstring(frame, HEADER).text];
  if (type === 'P') return [readCstring(frame, readCstring(frame, HEADER).end).text];
  return [];
}

/** Removes from the engine's answer what the client did not ask for. Empties `expected`. */
export function fromAnswer(answer: Buffer, expected: ExpectedAnswer[]): Answer {
  const parts: Buffer[] = [];
  const tags: string[] = [];
  const notifications: Buffer[] = [];
  let status: TransactionStatus | null = null;
  let failed = false;
  let kept = 0;
  const cut = (start: number, end: number, ...instead: Buffer[]): void => {
    if (start > kept) parts.push(answer.subarray(kept, start));
    parts.push(...instead);
    kept = end;
  };
  for (const part of backendFrames(answer)) {
    const { type, start, end } = part;
    switch (type) {
      case '1':
      case '3':
        if (settle(expected)) cut(start, end);
        break;
      case 'A':
        notifications.push(answer.subarray(start, end));
        cut(start, end);
        break;
      case 'C':
        tags.push(readCstring(answer, start + HEADER).text);
        break;
      case 'E':
        failed = true;
        expected.length = 0;
        if (readError(answer, part).message.endsWith(COPY_REFUSED)) cut(start, end, copyRefused());
        break;
      case 'G':
        cut(start, end);
        break;
      case 'Z':
        status = answer.toString('latin1', start + HEADER, end) as TransactionStatus;
        break;
    }
  }
  cut(answer.length, answer.length);
  return { parts, status, tags, notifications, failed };
}

/** Settles one ParseComplete or CloseComplete; true when the client must not see it. */
function settle(expected: ExpectedAnswer[]): boolean {
  const next = expected.shift();
  next?.onSuccess();
  return next?.hidden ?? false;
}

const copyRefused = (): Buffer =>
  errorResponse({ severity: 'ERROR', code: '0A000', message: COPY_REFUSED, hint: 'Insert rows in batches instead.' });

export interface EngineMutexOptions {
  /** Milliseconds that a waiter accepts an idle holder. */
  readonly waitMs: number;
  /** Milliseconds after which an idle holder is evicted. */
  readonly idleLimitMs: number;
}

/** A session, or our own work, that can hold the engine. */
export interface Holder {
  /** Called after too long in an idle transaction: the holder must end and leave. */
  evict(): void;
}

interface Waiting {
  readonly holder: Holder;
  readonly since: number;
  readonly patient: boolean;
  admit(): void;
  refuse(error: Error): void;
}

/** The holder was idle in its transaction for the wait limit. */
export class EngineBusyError extends Error {
  readonly code = '55P03';
}

export class EngineLeftError extends Error {}

/**
 * A FIFO mutex over the engine, held from the first message of a turn until the engine is outside any transaction. Only
 * idle time counts against a holder: a running statement would delay others on a server too.
 */
export class EngineMutex {
  private holder: Holder | null = null;
  private idleSince: number | null = null;
  private queue: Waiting[] = [];
  private waitTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: EngineMutexOptions) {}

  /** Resolves when `holder` has the engine. A patient holder waits without limit. */
  enter(holder: Holder, patient = false): Promise<void> {
    if (this.holder === holder) {
      this.busy();
      return Promise.resolve();
    }
    if (this.holder === null) {
      this.holder = holder;
      return Promise.resolve();
    }
    return new Promise((admit, refuse) => {
      this.queue.push({ holder, since: performance.now(), patient, admit, refuse });
      this.watch();
    });
  }

  holds(holder: Holder): boolean {
    return this.holder === holder;
  }

  /** The holder's turn ended inside a transaction. */
  idle(): void {
    this.idleSince = performance.now();
    const { holder } = this;
    this.idleTimer = setTimeout(() => holder?.evict(), this.options.idleLimitMs);
    this.watch();
  }

  leave(holder: Holder): void {
    if (this.holder !== holder) return;
    this.busy();
    const next = this.queue.shift();
    this.holder = next?.holder ?? null;
    next?.admit();
  }

  /** Removes a closed session from the queue. */
  withdraw(holder: Holder): void {
    const gone = this.queue.filter((waiting) => waiting.holder === holder);
    this.queue = this.queue.filter((waiting) => waiting.holder !== holder);
    for (const waiting of gone) waiting.refuse(new EngineLeftError());
  }

  private busy(): void {
    this.idleSince = null;
    clearTimeout(this.idleTimer);
    clearTimeout(this.waitTimer);
  }

  private deadline({ since, patient }: Waiting): number {
    if (patient || this.idleSince === null) return Infinity;
    return Math.max(since, this.idleSince) + this.options.waitMs;
  }

  private watch(): void {
    clearTimeout(this.waitTimer);
    const next = Math.min(...this.queue.map((waiting) => this.deadline(waiting)));
    if (next === Infinity) return;
    this.waitTimer = setTimeout(() => this.refuseOverdue(), Math.max(next - performance.now(), 1));
  }

  private refuseOverdue(): void {
    const now = performance.now();
    const overdue = this.queue.filter((waiting) => this.deadline(waiting) <= now);
    this.queue = this.queue.filter((waiting) => !overdue.includes(waiting));
    for (const waiting of overdue) {
      waiting.refuse(
        new EngineBusyError(`another connection has held its transaction open for ${this.options.waitMs} ms`),
      );
    }
    this.watch();
  }
}

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
function channelOf(notification: Buffer): string {
  const start = HEADER + 4;
  return notification.toString('utf8', start, notification.indexOf(0, start));
}

const folded = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();

export interface Listener {
  notify(notification: Buffer): void;
}

/** The engine and the state that all sessions share. Callers hold the mutex. */
export class SharedEngine {
  readonly mutex: EngineMutex;
  readonly statements: SharedStatements = { unnamedOwner: null, generation: 0 };
  readonly channels = new Channels<Listener>();
  readonly settings = new SettingsSwitch((messages) => this.askAside(messages));

  private constructor(
    readonly engine: Engine,
    options: EngineMutexOptions,
    readonly serverVersion: string,
    /** Called when the engine is lost. */
    readonly broke: (error: unknown) => void,
  ) {
    this.mutex = new EngineMutex(options);
  }

  static async over(
    engine: Engine,
    options: EngineMutexOptions,
    broke: (error: unknown) => void,
  ): Promise<SharedEngine> {
    const answer = await engine.ask(query('SHOW server_version'));
    const row = [...backendFrames(answer)].find(({ type }) => type === 'D');
    const version = row ? readRow(answer, row)[0] : null;
    return new SharedEngine(engine, options, version ?? '0', broke);
  }

  ask(messages: Buffer): Promise<Buffer> {
    return this.engine.ask(messages);
  }

  /** Sends our own statements, which drop the unnamed statement of the engine. */
  askAside(messages: Buffer): Promise<Buffer> {
    this.statements.unnamedOwner = null;
    return this.engine.ask(messages);
  }

  publish(notifications: readonly Buffer[]): void {
    for (const notification of notifications) {
      for (const session of this.channels.listeners(channelOf(notification))) session.notify(notification);
    }
  }
}

import type { Socket } from 'node:net';
import { EngineBrokenError } from '../engine';
import {
  type ErrorFields,
  type FrontendMessage,
  HEADER,
  ProtocolError,
  type TransactionStatus,
  errorResponse,
  query,
  readyForQuery,
  sync,
} from './messages';
import { SessionSettings, SettingsError } from './settings';
import {
  type Answer,
  EngineBusyError,
  EngineLeftError,
  type Holder,
  type Listener,
  type SharedEngine,
  fromAnswer,
  mayCopyIn,
  toRequest,
} from './shared-engine';
import { serveSnapshot } from './snapshot-request';
import { readStartup } from './startup';
import { type ExpectedAnswer, SessionStatements } from './statements';

/** Far above any statement of the service, far below the memory of the engine. */
const LARGEST_MESSAGE = 256 * 1024 * 1024;
const LARGEST_STARTUP = 10_000;

/** An unknown type byte sends the engine into an endless loop. */
const KNOWN_TYPES = new Set(['Q', 'P', 'B', 'D', 'E', 'C', 'S', 'H', 'F', 'X', 'd', 'c', 'f']);

/**
 * Cuts a byte stream into messages. Start-up messages (start-up, SSL request, cancel) have no type byte: their type is
 * empty.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;
  private started = false;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** The next messages have a type byte. */
  startupDone(): void {
    this.started = true;
  }

  /** @throws {ProtocolError} when the stream cannot be a client's. */
  next(): FrontendMessage | null {
    const prefix = this.started ? 1 : 0;
    if (this.size < prefix + 4) return null;
    const length = this.head(prefix + 4).readInt32BE(prefix);
    const total = prefix + length;
    const largest = this.started ? LARGEST_MESSAGE : LARGEST_STARTUP;
    if (length < 4 || total > largest) throw new ProtocolError(`a message of ${length} bytes`);
    const type = this.started ? this.head(HEADER).toString('latin1', 0, 1) : '';
    if (this.started && !KNOWN_TYPES.has(type)) throw new ProtocolError('a message of unknown type');
    if (this.size < total) return null;
    const all = this.head(total);
    this.chunks = all.length > total ? [all.subarray(total), ...this.chunks.slice(1)] : this.chunks.slice(1);
    this.size -= total;
    return { type, frame: all.subarray(0, total) };
  }

  /**
   * Makes the first chunk hold at least `wanted` bytes. Chunks are joined only then, so a long message is copied once.
   */
  private head(wanted: number): Buffer {
    const first = this.chunks[0] ?? Buffer.alloc(0);
    if (first.length >= wanted) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }
}

/** Back-pressure: input beyond this stays in the socket buffer. */
const LIMIT = 1024 * 1024;

/** Message types after which the engine is asked: Query, FunctionCall and Sync end a turn, Flush only wants answers. */
const ASKING = new Set(['Q', 'F', 'S', 'H']);

class Inbox {
  private messages: FrontendMessage[] = [];
  private size = 0;

  get full(): boolean {
    return this.size > LIMIT;
  }

  push(message: FrontendMessage): void {
    this.messages.push(message);
    this.size += message.frame.length;
  }

  clear(): void {
    this.messages = [];
    this.size = 0;
  }

  /** The messages up to the next one that asks for an answer, or all of a batch that exceeds the limit. */
  nextBatch(): readonly FrontendMessage[] | null {
    const asking = this.messages.findIndex(({ type }) => ASKING.has(type));
    if (asking < 0 && !this.full) return null;
    const batch = this.messages.splice(0, asking < 0 ? this.messages.length : asking + 1);
    this.size -= batch.reduce((sum, { frame }) => sum + frame.length, 0);
    return batch;
  }
}

/** Resolves when the socket has drained or closed. */
function drained(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

/** FATAL error for a client that caused the fault; null for faults of the engine. */
function fatalFault(error: unknown): ErrorFields | null {
  if (error instanceof SettingsError) return { severity: 'FATAL', code: error.code, message: error.message };
  if (error instanceof ProtocolError) {
    return { severity: 'FATAL', code: error.code, message: `protocol violation: ${error.message}` };
  }
  return null;
}

/** A listener with this much unread data loses notifications, which are hints. */
const UNREAD_LIMIT = 1024 * 1024;

/** One client connection: takes messages in turn, enters the mutex, writes answers under back-pressure. */
export class Session implements Holder, Listener {
  readonly settings = new SessionSettings();
  private readonly reader = new FrameReader();
  private readonly statements: SessionStatements;
  private readonly expected: ExpectedAnswer[] = [];
  private readonly inbox = new Inbox();
  private status: TransactionStatus = 'I';
  private started = false;
  /** After an error in an extended query, engine and session skip every message up to the next Sync. */
  private skipping: 'no' | 'by the engine' | 'here' = 'no';
  private copies = false;
  /** UNLISTEN of this session also ended the listening of others. */
  private unlistened = false;
  private ended = false;
  private working: Promise<void> | null = null;

  constructor(
    private readonly id: number,
    private readonly socket: Socket,
    private readonly engine: SharedEngine,
  ) {
    this.statements = new SessionStatements(engine.statements);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => void this.end());
  }

  evict(): void {
    this.fail({
      severity: 'FATAL',
      code: '25P03',
      message: 'terminating connection due to idle-in-transaction timeout',
    });
  }

  /** Sends the error, hangs up and releases the mutex. */
  fail(error: ErrorFields): void {
    if (!this.socket.destroyed) {
      this.socket.write(errorResponse(error));
      this.socket.destroySoon();
    }
    void this.end();
  }

  notify(notification: Buffer): void {
    if (this.started && !this.ended && this.socket.writableLength < UNREAD_LIMIT) this.socket.write(notification);
  }

  /** Resolves when the engine holds no state of this session. */
  async end(): Promise<void> {
    if (this.ended) return this.working ?? undefined;
    this.ended = true;
    this.settings.closed = true;
    this.inbox.clear();
    this.engine.mutex.withdraw(this);
    this.working = this.cleanUp(this.working);
    return this.working;
  }

  private receive(chunk: Buffer): void {
    if (this.ended) return;
    this.reader.push(chunk);
    try {
      for (let message = this.reader.next(); message; message = this.reader.next()) {
        if (this.started) this.accept(message);
        else this.greet(message.frame);
        if (this.ended) return;
      }
    } catch (error) {
      const unknown = { severity: 'FATAL', code: '08P01', message: 'protocol violation: not understood' } as const;
      this.fail(fatalFault(error) ?? unknown);
      return;
    }
    if (this.inbox.full) this.socket.pause();
    this.working ??= this.work().finally(() => {
      if (!this.ended) this.working = null;
    });
  }

  private greet(message: Buffer): void {
    const startup = readStartup(message, this.id, this.engine.serverVersion);
    switch (startup.kind) {
      case 'encryption':
        this.socket.write('N');
        return;
      case 'cancel':
        // A running statement cannot be interrupted: it occupies the thread.
        this.socket.end();
        return;
      case 'snapshot':
        this.working = serveSnapshot(this.socket, this.engine);
        return;
      case 'refused':
        this.fail(startup.error);
        return;
      case 'session':
        this.settings.values = startup.settings;
        this.started = true;
        this.reader.startupDone();
        this.socket.write(startup.answer);
    }
  }

  private accept(message: FrontendMessage): void {
    if (message.type === 'X') {
      this.socket.end();
      void this.end();
      return;
    }
    // Copy data outside a COPY is ignored.
    if (message.type === 'd' || message.type === 'c' || message.type === 'f') return;
    this.inbox.push(message);
  }

  private async work(): Promise<void> {
    for (let batch = this.inbox.nextBatch(); batch; batch = this.inbox.nextBatch()) {
      try {
        await this.turn(batch);
      } catch (error) {
        this.turnFailed(error, batch);
      }
      if (this.ended) return;
      await drained(this.socket);
      if (!this.inbox.full) this.socket.resume();
    }
  }

  private async turn(batch: readonly FrontendMessage[]): Promise<void> {
    const last = batch.at(-1)?.type ?? '';
    if (this.skipping === 'here') {
      if (last === 'S') this.answerSkipped();
      return;
    }
    await this.takeEngine();
    const request = toRequest(batch, this.statements, (texts) => (this.copies ||= texts.some(mayCopyIn)));
    this.engine.channels.observe(this, request.texts);
    this.expected.push(...request.expected);
    const answer = fromAnswer(await this.engine.ask(request.messages), this.expected);
    if (answer.status === null && this.endsTurn(last)) throw new EngineBrokenError('a turn ended without an answer');
    this.settings.observe(request.texts, answer.tags);
    await this.finish(answer);
    // Each write wakes the client.
    this.socket.cork();
    for (const part of answer.parts) this.socket.write(part);
    this.socket.uncork();
    this.engine.publish(answer.notifications);
  }

  private async takeEngine(): Promise<void> {
    const { mutex, settings } = this.engine;
    const continues = mutex.holds(this);
    await mutex.enter(this);
    if (!continues) await settings.enter(this.settings);
  }

  private endsTurn(last: string): boolean {
    return last === 'S' || ((last === 'Q' || last === 'F') && this.skipping === 'no');
  }

  private async finish(answer: Answer): Promise<void> {
    this.learn(answer.tags);
    if (answer.status === null) {
      if (answer.failed) this.skipping = 'by the engine';
      this.engine.mutex.idle();
      return;
    }
    this.skipping = 'no';
    this.expected.length = 0;
    this.status = answer.status;
    if (this.status !== 'I') {
      this.engine.mutex.idle();
      return;
    }
    if (this.unlistened) await this.engine.askAside(this.engine.channels.restore());
    this.unlistened = false;
    this.engine.mutex.leave(this);
  }

  private learn(tags: readonly string[]): void {
    for (const tag of tags) {
      if (tag === 'DISCARD ALL' || tag === 'DEALLOCATE ALL') this.statements.forgetAll();
      if (tag === 'DISCARD ALL') this.engine.channels.forget(this);
      if (tag === 'DISCARD ALL' || tag === 'UNLISTEN') this.unlistened = true;
    }
  }

  private turnFailed(error: unknown, batch: readonly FrontendMessage[]): void {
    if (error instanceof EngineLeftError) return;
    if (error instanceof EngineBusyError) {
      this.socket.write(errorResponse({ severity: 'ERROR', code: error.code, message: error.message }));
      this.skipping = 'here';
      if (batch.at(-1)?.type !== 'H') this.answerSkipped();
      return;
    }
    const fault = fatalFault(error);
    if (fault === null) this.engine.broke(error);
    else this.fail(fault);
  }

  private answerSkipped(): void {
    this.skipping = 'no';
    this.socket.write(readyForQuery(this.status));
  }

  private async cleanUp(before: Promise<void> | null): Promise<void> {
    await before;
    const { mutex, channels } = this.engine;
    const last: Buffer[] = [];
    if (channels.forget(this)) last.push(channels.restore());
    const statements = this.statements.closeAll();
    if (statements.length > 0) last.push(...statements, sync);
    try {
      // The first ROLLBACK undoes an open batch or block. The second one follows a Sync, for an engine that skips.
      if (mutex.holds(this)) last.unshift(query('ROLLBACK'), sync, query('ROLLBACK'));
      else if (last.length > 0) await mutex.enter(this, true);
      if (last.length > 0) await this.engine.askAside(Buffer.concat(last));
    } catch (error) {
      this.engine.broke(error);
    } finally {
      mutex.leave(this);
    }
  }
}

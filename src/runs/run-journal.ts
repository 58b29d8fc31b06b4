import type { StampedRunEvent } from '@bellwether/kernel';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable } from '../infrastructure/database';
import { Signals } from '../infrastructure/signals';
import { RunLines, SealChain } from './run-lines';
import { bareRecord, finishedRecord, storableRecord } from './run-record';
import { ActiveRuns, isTerminal, loggedEvent } from './run';
import type { LoggedEvent, RunLog, RunRecord } from './run.types';
import { RunEventRepository } from './run-event.repository';
import { RUN_EVENTS, RunTails, idSignals } from './run-tails';

/** Uncommitted characters at which writers wait, and at which events are dropped. */
const HIGH_WATER = 64 * 1_024;
const CAPACITY = 4 * 1_024 * 1_024;
/** Characters of one run in one statement. */
const BATCH_CHARS = 128 * 1_024;

/** Uncommitted events of one background run, in order. */
class DurableLog implements RunLog {
  private readonly pending: LoggedEvent[] = [];
  private chars = 0;
  private waiters: (() => void)[] = [];
  private closed = false;
  private final: RunRecord | null = null;
  private settle!: () => void;
  /** Resolves when the end is committed, or the run is lost to another process. */
  readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

  constructor(
    readonly runId: string,
    private readonly wake: () => void,
  ) {}

  get hasSpace(): boolean {
    return this.chars < CAPACITY;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** The record of the ended run; null before the end. */
  get ending(): RunRecord | null {
    return this.final;
  }

  append(event: StampedRunEvent): void {
    if (this.closed) return;
    const logged = loggedEvent(event);
    this.pending.push(logged);
    this.chars += logged.data.length;
    // The terminal event is written together with the record.
    if (!isTerminal(event)) this.wake();
  }

  end(record: RunRecord): void {
    this.final ??= record;
    this.wake();
  }

  drained(): Promise<void> | undefined {
    if (this.closed || this.chars <= HIGH_WATER) return undefined;
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** The oldest events, limited by number and size, without the terminal one: `end` writes it. */
  next(limit: number): readonly LoggedEvent[] {
    const events: LoggedEvent[] = [];
    let chars = 0;
    for (const event of this.pending) {
      if (events.length === limit || chars > BATCH_CHARS || isTerminal(event)) break;
      events.push(event);
      chars += event.data.length;
    }
    return events;
  }

  get rest(): readonly LoggedEvent[] {
    return this.pending;
  }

  committed(count: number): void {
    for (const { data } of this.pending.splice(0, count)) this.chars -= data.length;
    if (this.chars <= HIGH_WATER) this.release();
  }

  /** Drops pending events and ignores later ones. */
  close(): void {
    this.closed = true;
    this.pending.length = 0;
    this.chars = 0;
    this.release();
    this.settle();
  }

  private release(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}

/** Codes of PostgreSQL. Node's codes of broken connections do not match. */
const SQLSTATE = /^[0-9FHPX][0-9A-Z]{4}$/;
/** Thrown while the parameters are serialised. */
const SERIALISATION = ['RangeError', 'TypeError'];

const sqlstateOf = (error: unknown): string | null => {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : null;
};

/** True when these rows can never be written; false for an outage. */
function isRefusal(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return false;
  if (sqlstateOf(error) !== null) return true;
  return error instanceof Error && SERIALISATION.includes(error.name);
}

/** Events within this time are committed together. */
const GATHER_MS = 15;
const EVENTS_PER_RUN = 200;
const RUNS_PER_BATCH = 50;
const RETRY_MS = 500;
/** Outage after which runs are aborted. After twice the time they are left to the reaper. */
const PATIENCE_MS = 30_000;
const UNWRITABLE = 'The events of the run could not be written';

/**
 * Writes the events of this process's background runs in batches and in order, while it owns the run. Readers see an
 * event after its commit.
 */
@Injectable()
export class RunJournal implements OnApplicationShutdown {
  private readonly logger = new Logger('Runs');
  private readonly logs = new Map<string, DurableLog>();
  /** Start of the outage in monotonic milliseconds; null while the database answers. */
  private awaySince: number | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private again = false;
  private closed = false;
  private chain = new SealChain();

  constructor(
    private readonly events: RunEventRepository,
    private readonly tails: RunTails,
    private readonly active: ActiveRuns,
    private readonly signals: Signals,
    private readonly lines: RunLines,
  ) {}

  open(runId: string): DurableLog {
    const log = new DurableLog(runId, () => this.schedule(GATHER_MS));
    this.logs.set(runId, log);
    return log;
  }

  find(runId: string): DurableLog | undefined {
    return this.logs.get(runId);
  }

  /** Another process has taken the run or ended it: its further events are dropped. */
  lose(runId: string): void {
    const log = this.logs.get(runId);
    if (log === undefined) return;
    this.close(log);
    this.active.get(runId)?.abort('worker_lost');
  }

  private close(log: DurableLog): void {
    this.logs.delete(log.runId);
    log.close();
  }

  /** Jobs have stopped: a run whose end is not written is ended by the reaper of another process or of the next start. */
  onApplicationShutdown(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private schedule(delay: number): void {
    if (this.closed) return;
    if (this.writing !== null) this.again = true;
    else this.timer ??= setTimeout(() => this.write(), delay);
  }

  private write(): void {
    this.timer = null;
    this.again = false;
    this.writing = this.writeAll()
      .then(
        () => void (this.awaySince = null),
        (error: unknown) => this.failed(error),
      )
      .finally(() => {
        this.writing = null;
        if (this.awaySince !== null) this.schedule(RETRY_MS);
        else if (this.again) this.schedule(GATHER_MS);
      });
  }

  private async writeAll(): Promise<void> {
    const waiting = [...this.logs.values()].filter((log) => log.rest.length > 0);
    for (let first = 0; first < waiting.length; first += RUNS_PER_BATCH) {
      await this.append(waiting.slice(first, first + RUNS_PER_BATCH));
    }
    for (const log of waiting) {
      const { ending } = log;
      if (ending !== null && !log.isClosed && log.rest.length <= EVENTS_PER_RUN) await this.end(log, ending);
    }
    if (waiting.some((log) => !log.isClosed && log.next(1).length > 0)) this.again = true;
  }

  /** When the database refuses a batch, each run is tried alone. */
  private async append(logs: readonly DurableLog[]): Promise<void> {
    const batch = logs
      .map((log) => ({ log, events: log.next(EVENTS_PER_RUN) }))
      .filter((each) => each.events.length > 0);
    const [only] = batch;
    if (only === undefined) return;
    const batches = batch.map(({ log, events }) => ({ runId: log.runId, events }));
    const ours = await this.unlessRefused(only.log.runId, () => this.events.append(this.active.workerId, batches));
    if (ours === null) {
      if (batch.length === 1) return this.abandon(only.log);
      for (const { log } of batch) await this.append([log]);
      return;
    }
    for (const { log, events } of batch) {
      if (!ours.has(log.runId)) this.lose(log.runId);
      else if (!log.isClosed) this.wrote(log, events);
    }
    this.tellOthers([...ours]);
  }

  /** Writes record and terminal event in one statement. Closes the log even if another process ended the run. */
  private async end(log: DurableLog, record: RunRecord): Promise<void> {
    const events = [...log.rest];
    if (!events.some(isTerminal)) return;
    const ours = await this.ended(record, events);
    if (ours === null) return this.abandon(log);
    if (ours) this.wrote(log, events);
    this.close(log);
    this.tellOthers([log.runId]);
  }

  /** Ends the run with a reduced record when the database refuses the full one. Null when it refuses the events. */
  private async ended(ending: RunRecord, events: readonly LoggedEvent[]): Promise<boolean | null> {
    for (const columns of [() => ending, () => storableRecord(ending), () => bareRecord(ending)]) {
      const ours = await this.unlessRefused(ending.id, async () => this.writeEnd(ending, columns(), events));
      if (ours !== null) return ours;
    }
    return null;
  }

  /**
   * The end of each run is a segment of its own: it is written in one statement with the last events. `columns`: the record
   * as its row states it. Lines hold any text.
   */
  private async writeEnd(record: RunRecord, columns: RunRecord, events: readonly LoggedEvent[]): Promise<boolean> {
    const sealed = { ...(await this.lines.seal([record], this.chain)), records: [columns] };
    try {
      const ours = await this.events.end(this.active.workerId, sealed, events);
      if (ours) this.chain.extend(sealed.segments);
      return ours;
    } catch (error) {
      // This seal may be stored or not: another one must not have its number.
      if (!isRefusal(error)) this.chain = new SealChain();
      throw error;
    }
  }

  /** Fails a run whose events can never be written, after its last written event. */
  private async abandon(log: DurableLog): Promise<void> {
    const { runId } = log;
    const run = this.active.get(runId);
    const [next] = log.rest;
    if (run !== undefined && next !== undefined) {
      const code = 'internal_error';
      const record = bareRecord(finishedRecord(run, { status: 'failed', errorCode: code }));
      const at = new Date().toISOString();
      const end = loggedEvent({ run_id: runId, seq: next.seq, at, type: 'run.failed', code, message: UNWRITABLE });
      // If this is refused as well, the reaper ends the run.
      const ours = await this.unlessRefused(runId, () => this.writeEnd(record, record, [end]));
      if (ours === true) this.tails.push(runId, [end]);
    }
    this.lose(runId);
    this.tellOthers([runId]);
  }

  /** Null when the database refuses these rows; rejects during an outage. */
  private async unlessRefused<T>(runId: string, write: () => Promise<T>): Promise<T | null> {
    try {
      return await write();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.logger.warn({ msg: 'events or record of a run refused', run_id: runId, sqlstate: sqlstateOf(error) });
      return null;
    }
  }

  private wrote(log: DurableLog, events: readonly LoggedEvent[]): void {
    log.committed(events.length);
    this.tails.push(log.runId, events);
  }

  private tellOthers(ids: readonly string[]): void {
    for (const signal of idSignals(ids)) this.signals.publish(RUN_EVENTS, signal);
  }

  private failed(error: unknown): void {
    const now = performance.now();
    if (this.awaySince === null) {
      this.awaySince = now;
      this.logger.warn({
        msg: 'events of runs cannot be written',
        unavailable: isDatabaseUnavailable(error),
        err: error,
      });
    }
    const away = now - this.awaySince;
    if (away < PATIENCE_MS) return;
    for (const log of [...this.logs.values()]) {
      if (log.rest.length === 0) continue;
      this.active.get(log.runId)?.abort('unavailable');
      if (away >= 2 * PATIENCE_MS) this.close(log);
    }
  }
}

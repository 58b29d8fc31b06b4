import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable } from '../infrastructure/database';
import { ActiveRuns, type Run, type RunEnd } from './run';
import { RunJournal } from './run-journal';
import { RunLines, SealChain, type SealedRuns } from './run-lines';
import { finishedRecord, storableRecord } from './run-record';
import { RunRepository } from './run.repository';
import type { RunOutcome, RunRecord } from './run.types';
import { shapeSource } from './shape-report';

interface RunBufferOptions {
  /** A record is written within this time. */
  readonly delayMs: number;
  readonly batchSize: number;
  /** Records beyond this number are dropped. */
  readonly capacity: number;
  /** Records that cannot be written for this long are dropped. */
  readonly patienceMs: number;
}

const DEFAULTS: RunBufferOptions = { delayMs: 250, batchSize: 200, capacity: 10_000, patienceMs: 5 * 60_000 };
const RETRY_MS = 1_000;

export interface RunSink {
  /**
   * Resolves with the records that can never be stored; rejects when the database cannot be asked. The same array then comes
   * again: the database may have stored it.
   */
  write(batch: readonly RunRecord[]): Promise<readonly RunRecord[]>;
  dropped(count: number, reason: 'full' | 'unavailable' | 'refused' | 'shutdown'): void;
}

interface Held {
  readonly record: RunRecord;
  readonly since: number;
}

/** A bounded write-behind buffer of ended runs. `find` sees a record until it is in the table. One write at a time, in order. */
export class RunBuffer {
  private readonly held = new Map<string, Held>();
  private readonly options: RunBufferOptions;
  private last: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  /** Records whose write has not been answered. */
  private batch: readonly RunRecord[] | null = null;
  private closed = false;

  constructor(
    private readonly sink: RunSink,
    options: Partial<RunBufferOptions> = {},
  ) {
    this.options = { ...DEFAULTS, ...options };
  }

  get size(): number {
    return this.held.size;
  }

  add(record: RunRecord): void {
    if (this.closed || this.held.size >= this.options.capacity) {
      this.sink.dropped(1, this.closed ? 'shutdown' : 'full');
      return;
    }
    this.held.set(record.id, { record, since: performance.now() });
    this.last = record.id;
    this.schedule(this.options.delayMs);
  }

  find(id: string): RunRecord | undefined {
    return this.held.get(id)?.record;
  }

  /** Writes the records that are held by now. Rejects when the database does not answer; the records stay. */
  async flush(): Promise<void> {
    const last = this.last;
    while (last !== null && this.held.has(last)) {
      this.writing ??= this.writeBatch().finally(() => (this.writing = null));
      await this.writing;
    }
  }

  /** Drops what is still held, and every later record. */
  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.held.size > 0) this.sink.dropped(this.held.size, 'shutdown');
    this.held.clear();
  }

  private schedule(delay: number): void {
    if (this.closed || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch(() => {
        this.dropStale();
        if (this.held.size > 0) this.schedule(RETRY_MS);
      });
    }, delay);
    this.timer.unref();
  }

  private async writeBatch(): Promise<void> {
    this.batch ??= this.oldest();
    const { batch } = this;
    const refused = await this.sink.write(batch);
    this.batch = null;
    for (const { id } of batch) this.held.delete(id);
    if (refused.length > 0) this.sink.dropped(refused.length, 'refused');
  }

  private oldest(): RunRecord[] {
    const records: RunRecord[] = [];
    for (const { record } of this.held.values()) {
      records.push(record);
      if (records.length === this.options.batchSize) break;
    }
    return records;
  }

  private dropStale(): void {
    const oldest = performance.now() - this.options.patienceMs;
    let count = 0;
    for (const [id, { since }] of this.held) {
      if (since > oldest) break;
      this.held.delete(id);
      count += 1;
    }
    if (count === 0) return;
    this.batch = null;
    this.sink.dropped(count, 'unavailable');
  }
}

/** Records that one statement writes. */
interface Try {
  readonly records: readonly RunRecord[];
  /** The records as their rows state them: lines hold any text, columns do not. */
  readonly columns: readonly RunRecord[];
  /** Set by the first try. A second seal of a stored batch would leave lines without rows. */
  sealed?: SealedRuns;
}

interface WriteWork {
  readonly batch: readonly RunRecord[];
  /** Work that is left, also when the database is back. */
  readonly tries: Try[];
  readonly refused: RunRecord[];
}

/** Ends runs, once each, and writes their records behind the answers. */
@Injectable()
export class RunEndings implements RunSink, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly buffer = new RunBuffer(this);
  private readonly logger = new Logger('Runs');
  private chain = new SealChain();
  private work: WriteWork | null = null;
  /** Records that were lost since the start. */
  droppedTotal = 0;

  constructor(
    private readonly runs: RunRepository,
    private readonly journal: RunJournal,
    private readonly active: ActiveRuns,
    private readonly lines: RunLines,
  ) {}

  /** The first call wins. */
  finish(run: Run, outcome: RunOutcome): void {
    if (run.isClosed || this.active.get(run.id) !== run) return;
    const secrets = outcome.secrets ?? [];
    const sources = (outcome.sources ?? []).map((source) => shapeSource(source, secrets));
    if (sources.length > 0) run.emit({ type: 'sources', sources });
    if (outcome.usage) run.emit({ type: 'usage', ...outcome.usage });
    run.close(endOf(outcome));
    const record = finishedRecord(run, { ...outcome, sources });
    if (run.background) this.endLog(run, record);
    else {
      this.active.delete(run.id);
      this.buffer.add(record);
    }
  }

  /** An ended run that is not in the table yet. */
  find(id: string): RunRecord | undefined {
    const record = this.buffer.find(id);
    if (record === undefined) return undefined;
    // What its receipt is made of is for nobody else: it holds secrets.
    const { ending: _ending, ...told } = record;
    return told;
  }

  flush(): Promise<void> {
    return this.buffer.flush();
  }

  async write(batch: readonly RunRecord[]): Promise<readonly RunRecord[]> {
    if (this.work?.batch !== batch) this.work = { batch, tries: [{ records: batch, columns: batch }], refused: [] };
    const { tries, refused } = this.work;
    for (let [next] = tries; next !== undefined; [next] = tries) {
      const isStored = await this.isStored(next);
      tries.shift();
      if (isStored) continue;
      const smaller = smallerTries(next);
      tries.unshift(...smaller);
      if (smaller.length === 0) refused.push(...next.records);
    }
    this.work = null;
    return refused;
  }

  dropped(count: number, reason: string): void {
    this.droppedTotal += count;
    if (reason === 'unavailable') {
      this.work = null;
      // The last seal may be stored or not.
      this.chain = new SealChain();
    }
    this.logger.error({ msg: 'run records dropped', count, reason, total: this.droppedTotal });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.buffer.flush().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.buffer.close();
  }

  /** The run stays active, with heartbeats, until its end is committed. */
  private endLog(run: Run, record: RunRecord): void {
    const log = this.journal.find(run.id);
    const gone = (): boolean => this.active.delete(run.id);
    if (log === undefined) gone();
    else {
      void log.settled.then(gone);
      log.end(record);
    }
  }

  /** False when the database refuses a row. @throws when it does not answer */
  private async isStored(next: Try): Promise<boolean> {
    try {
      next.sealed ??= await this.lines.seal(next.records, this.chain);
      await this.runs.insertAll({ ...next.sealed, records: next.columns });
      this.chain.extend(next.sealed.segments);
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
      const [{ id }] = next.records as readonly [RunRecord];
      const count = next.records.length;
      this.logger.warn({ msg: 'run records refused by the database', run_id: id, count, sqlstate: code });
      return false;
    }
  }
}

/** A refused row does not drop its batch: each row is tried alone, then as its storable copy. */
function smallerTries({ records, columns }: Try): Try[] {
  if (records.length > 1) return records.map((record) => ({ records: [record], columns: [record] }));
  return records[0] === columns[0] ? [{ records, columns: records.map(storableRecord) }] : [];
}

function endOf(outcome: RunOutcome): RunEnd {
  if (outcome.status === 'completed') return { type: 'run.completed', finish_reason: outcome.finishReason ?? 'stop' };
  if (outcome.status === 'cancelled') return { type: 'run.cancelled', reason: outcome.message ?? 'cancelled' };
  return { type: 'run.failed', code: outcome.errorCode ?? 'internal_error', message: outcome.message ?? '' };
}

import type { RunRecord } from './run.types';

export interface RunBufferOptions {
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
  /** Resolves with the records that can never be stored; rejects when the database cannot be asked. */
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
    const batch: RunRecord[] = [];
    for (const { record } of this.held.values()) {
      batch.push(record);
      if (batch.length === this.options.batchSize) break;
    }
    const refused = await this.sink.write(batch);
    for (const { id } of batch) this.held.delete(id);
    if (refused.length > 0) this.sink.dropped(refused.length, 'refused');
  }

  private dropStale(): void {
    const oldest = performance.now() - this.options.patienceMs;
    let count = 0;
    for (const [id, { since }] of this.held) {
      if (since > oldest) break;
      this.held.delete(id);
      count += 1;
    }
    if (count > 0) this.sink.dropped(count, 'unavailable');
  }
}

import { uuidv7, atMost } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const FLUSH_MS = 5_000;
/** Counts of other processes appear this much later at most. */
const REFRESH_MS = 60_000;

/** The table behind some counters. A group is read together; `id` is unique in a group. */
export interface CounterStore<Group, Row, View> {
  readonly name: string;
  /** Groups held in memory. */
  readonly maxGroups: number;
  keyOf(group: Group): string;
  /** Adds to the stored rows; several processes do so. A repetition with the same `batch` must add nothing. */
  add(batch: string, rows: readonly Row[]): Promise<void>;
  read(group: Group): Promise<readonly Row[]>;
  /** The figures of a group as readers see them; several rows of one id add up. */
  viewOf(rows: readonly Row[]): View;
}

interface Held<View> {
  /** null until the first read ends. */
  view: View | null;
  readAt: number | null;
  reading: Promise<void> | null;
}

interface Batch<Row> {
  readonly id: string;
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, Row>>;
}

/**
 * Write-behind counters: in memory at once, in the table within seconds, added to the counts of other processes. A process
 * that is killed loses its unwritten counts.
 */
export class BufferedCounters<Group, Row, View> {
  private readonly logger: Logger;
  private readonly held: LRUCache<string, Held<View>>;
  /** Not in the table yet, by group and id. */
  private pending = new Map<string, Map<string, Row>>();
  /** Batch whose write is not confirmed. It is sent again unchanged, because an error leaves the outcome unknown. */
  private sent: Batch<Row> | null = null;
  /** Reads and writes are serialised, so that no read sees a row that is still pending. */
  private turn: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(private readonly store: CounterStore<Group, Row, View>) {
    this.logger = new Logger(store.name);
    this.held = new LRUCache(atMost(store.maxGroups));
  }

  /**
   * The pending row to count in, made by `create` when there is none. Count the same in `current` of the group unless
   * that is null: until the first read ends, pending rows are added to the rows that were read.
   */
  row(group: Group, id: string, create: () => Row): Row {
    const key = this.store.keyOf(group);
    let rows = this.pending.get(key);
    if (rows === undefined) this.pending.set(key, (rows = new Map<string, Row>()));
    let row = rows.get(id);
    if (row === undefined) rows.set(id, (row = create()));
    this.flushSoon();
    return row;
  }

  /** The group's view if it was read; begins no read. */
  current(group: Group): View | null {
    return this.held.get(this.store.keyOf(group))?.view ?? null;
  }

  /** The group's view from memory; null until the first read, which this begins. Never waits. */
  view(group: Group): View | null {
    return this.fresh(group, REFRESH_MS).view;
  }

  /** Resolves when `view` knows the group; never rejects. */
  async load(group: Group): Promise<void> {
    const held = this.fresh(group, REFRESH_MS);
    if (held.readAt === null) await held.reading;
  }

  /** Writes pending rows; never rejects. */
  flush(): Promise<void> {
    return this.inTurn(async () => {
      await this.send();
      if (this.pending.size === 0) return;
      this.sent = { id: uuidv7(), rows: this.pending };
      this.pending = new Map();
      await this.send();
    });
  }

  /** Writes pending rows once more; later rows are not written. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.flush();
  }

  private fresh(group: Group, maxAgeMs: number): Held<View> {
    const key = this.store.keyOf(group);
    let held = this.held.get(key);
    if (held === undefined) this.held.set(key, (held = { view: null, readAt: null, reading: null }));
    const isOld = held.readAt === null || performance.now() - held.readAt > maxAgeMs;
    if (isOld && held.reading === null) held.reading = this.read(group, key, held);
    return held;
  }

  private read(group: Group, key: string, held: Held<View>): Promise<void> {
    return this.inTurn(async () => {
      const stored = await this.store.read(group);
      // In the same step as the look at pending rows: from here on every count goes to both.
      const unwritten = [this.sent?.rows.get(key), this.pending.get(key)];
      held.view = this.store.viewOf([...stored, ...unwritten.flatMap((rows) => [...(rows?.values() ?? [])])]);
    }).finally(() => {
      held.readAt = performance.now();
      held.reading = null;
    });
  }

  private async send(): Promise<void> {
    if (this.sent === null) return;
    const { id, rows } = this.sent;
    try {
      await this.store.add(
        id,
        [...rows.values()].flatMap((group) => [...group.values()]),
      );
      this.sent = null;
    } catch (error) {
      this.flushSoon();
      throw error;
    }
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.logger.warn(`counters not stored: ${error instanceof Error ? error.name : typeof error}`);
    });
    return this.turn;
  }

  private flushSoon(): void {
    if (this.closed || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.flush();
    }, FLUSH_MS);
    this.timer.unref();
  }
}

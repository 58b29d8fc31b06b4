import type { StampedRunEvent } from '../../kernel';
import { isTerminal, loggedEvent } from '../run/logged-event';
import type { LoggedEvent, RunLog } from '../run/run-log.types';
import type { RunRecord } from '../run/run.types';

/** Uncommitted characters at which writers wait, and at which events are dropped. */
const HIGH_WATER = 64 * 1_024;
const CAPACITY = 4 * 1_024 * 1_024;
/** Characters of one run in one statement. */
const BATCH_CHARS = 128 * 1_024;

/** Uncommitted events of one background run, in order. */
export class DurableLog implements RunLog {
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

  get hasRoom(): boolean {
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

  drained(): Promise<void> {
    if (this.closed || this.chars <= HIGH_WATER) return Promise.resolve();
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

import type { StampedRunEvent } from '../kernel';
import { isTerminal, loggedEvent } from './logged-event';
import type { LoggedEvent, RunLog } from './run-log.types';
import type { RunRecord } from './run.types';

/** Characters that may wait to be committed before whoever writes is asked to wait, and before no more are taken. */
const HIGH_WATER = 64 * 1_024;
const CAPACITY = 4 * 1_024 * 1_024;
/** Of one run in one statement. */
const BATCH_CHARS = 128 * 1_024;

/** What of one background run waits to be committed, in order. */
export class DurableLog implements RunLog {
  private readonly pending: LoggedEvent[] = [];
  private chars = 0;
  private waiters: (() => void)[] = [];
  private closed = false;
  private final: RunRecord | null = null;
  private settle!: () => void;
  /** Resolves when nothing more will be written: its end is committed, or the run is no longer ours. */
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

  /** Set once the terminal event is among the pending ones and the record is known. */
  get ending(): RunRecord | null {
    return this.final;
  }

  append(event: StampedRunEvent): void {
    if (this.closed) return;
    const logged = loggedEvent(event);
    this.pending.push(logged);
    this.chars += logged.data.length;
    // The terminal event is written with the record, which follows at once.
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

  /** The oldest events that wait, at most so many or about so much, without the terminal one: that is the end's. */
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

  /** Everything that waits, for the statement that ends the run. */
  get rest(): readonly LoggedEvent[] {
    return this.pending;
  }

  committed(count: number): void {
    for (const { data } of this.pending.splice(0, count)) this.chars -= data.length;
    if (this.chars <= HIGH_WATER) this.release();
  }

  /** Takes and holds nothing from now on. */
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

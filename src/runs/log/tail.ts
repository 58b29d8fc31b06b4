import { isTerminal } from '../run/logged-event';
import type { LoggedEvent } from '../run/run-log.types';

/** Slower readers read the log itself. */
const WINDOW_CHARS = 256 * 1_024;

/** The latest events of one run, shared by all of its readers. */
export class Tail {
  readers = 0;
  /** Resolves when the events that were in the log have been read. */
  loaded: Promise<void> = Promise.resolve();
  private events: LoggedEvent[] = [];
  private chars = 0;
  private seq = 0;
  private over = false;
  private resolve!: () => void;
  private promise!: Promise<void>;

  constructor(readonly runId: string) {
    this.arm();
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** True when no event follows `lastSeq`. */
  get ended(): boolean {
    return this.over;
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.promise;
  }

  /** Appends new events. False when an event is missing in between. */
  push(events: readonly LoggedEvent[]): boolean {
    const fresh = events.filter(({ seq }) => seq > this.seq);
    const [first] = fresh;
    if (first === undefined) return true;
    if (first.seq !== this.seq + 1 || this.over) return false;
    for (const event of fresh) {
      this.events.push(event);
      this.chars += event.data.length;
      this.seq = event.seq;
      this.over ||= isTerminal(event);
    }
    this.trim();
    this.wake();
    return true;
  }

  /** For a run that ended without a terminal event in the log. */
  end(): void {
    this.over = true;
    this.wake();
  }

  /** Undefined for events older than the window; empty when nothing is new. */
  since(after: number): readonly LoggedEvent[] | undefined {
    if (after >= this.seq) return [];
    const first = this.events[0];
    return first === undefined || first.seq > after + 1 ? undefined : this.events.slice(after + 1 - first.seq);
  }

  private trim(): void {
    let gone = 0;
    for (const { data } of this.events) {
      if (this.chars <= WINDOW_CHARS) break;
      this.chars -= data.length;
      gone += 1;
    }
    if (gone > 0) this.events = this.events.slice(gone);
  }

  private wake(): void {
    const { resolve } = this;
    this.arm();
    resolve();
  }

  private arm(): void {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }
}

import type { RunStatus } from '@bellwether/kernel';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Subject } from 'rxjs';
import { Signals } from '../infrastructure/signals';
import { isTerminal } from './run';
import type { LoggedEvent } from './run.types';
import { RunEventRepository } from './run-event.repository';

/** Slower readers read the log itself. */
const WINDOW_CHARS = 256 * 1_024;

/**
 * Takes the events of one batch in order. A promise holds the next batch back until it resolves; an error ends the reading.
 */
export type TakeEvents = (events: readonly LoggedEvent[]) => Promise<void> | undefined;

/** An error of a reader ends its reading alone. */
function taken(take: TakeEvents, events: readonly LoggedEvent[]): Promise<void> | undefined {
  try {
    return take(events);
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error('The events were not taken', { cause: error }));
  }
}

/** The latest events of one run, shared by all of its readers. */
export class Tail {
  readers = 0;
  /** Resolves when the events that were in the log have been read. */
  loaded: Promise<void> = Promise.resolve();
  private events: LoggedEvent[] = [];
  private chars = 0;
  private seq = 0;
  private over = false;
  /** Gives new events to all readers that have the earlier ones; completes with the run. */
  private readonly progress = new Subject<readonly LoggedEvent[]>();

  constructor(readonly runId: string) {}

  get lastSeq(): number {
    return this.seq;
  }

  /** True when no event follows `lastSeq`. */
  get ended(): boolean {
    return this.over;
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
    this.progress.next(fresh);
    if (this.over) this.progress.complete();
    return true;
  }

  /** Ends the tail of a run that ended without a terminal event in the log. */
  end(): void {
    this.over = true;
    this.progress.complete();
  }

  /**
   * Gives new events to `take` in the turn in which they come, until it holds one back, the run has ended or the reader
   * leaves. Resolves with the `seq` of the last event that was taken.
   */
  follow(seq: number, signal: AbortSignal, take: TakeEvents): Promise<number> {
    if (this.over || signal.aborted) return Promise.resolve(seq);
    return new Promise((resolve) => {
      let last = seq;
      const leave = (held?: Promise<void>): void => {
        reading.unsubscribe();
        signal.removeEventListener('abort', left);
        resolve(held === undefined ? last : held.then(() => last));
      };
      const left = (): void => leave();
      const reading = this.progress.subscribe({
        next: (events) => {
          const fresh = (events[0]?.seq ?? 0) > last ? events : events.filter((event) => event.seq > last);
          if (fresh.length === 0) return;
          last = lastSeqOf(fresh);
          const held = taken(take, fresh);
          if (held !== undefined) leave(held);
        },
        complete: left,
      });
      signal.addEventListener('abort', left);
    });
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
}

export const lastSeqOf = (events: readonly LoggedEvent[]): number => events.at(-1)?.seq ?? 0;

/** Signal topics. The payload is a list of run ids, joined by commas. */
export const RUN_EVENTS = 'run.events';
export const RUN_CANCEL = 'run.cancel';

/** Ids that fit into one signal. */
const IDS = 150;

export function idSignals(ids: readonly string[]): string[] {
  const signals: string[] = [];
  for (let first = 0; first < ids.length; first += IDS) signals.push(ids.slice(first, first + IDS).join(','));
  return signals;
}

/** Poll interval for events of other processes, for when a signal is lost. */
const POLL_MS = 400;
const EVENTS_PER_LOOK = 200;

const GOING: ReadonlySet<RunStatus | undefined> = new Set<RunStatus>(['queued', 'running']);

/**
 * The latest events of the runs that are read in this process, one `Tail` per run. They come from this process's journal
 * and from polling the log; signals of other processes only make the poll earlier.
 */
@Injectable()
export class RunTails implements OnApplicationShutdown {
  private readonly logger = new Logger('Runs');
  private readonly tails = new Map<string, Tail>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private lookAgain = false;
  private failing = false;
  private closed = false;

  constructor(
    private readonly events: RunEventRepository,
    signals: Signals,
  ) {
    signals.on(RUN_EVENTS, (ids) => this.hint(ids));
  }

  onApplicationShutdown(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  get size(): number {
    return this.tails.size;
  }

  /** Takes committed events. */
  push(runId: string, events: readonly LoggedEvent[]): void {
    const tail = this.tails.get(runId);
    if (tail !== undefined && !tail.push(events)) this.look();
  }

  /** Every reader calls `leave` in the end. Rejects when the log cannot be read. */
  async join(runId: string): Promise<Tail> {
    const tail = this.tails.get(runId) ?? this.make(runId);
    tail.readers += 1;
    try {
      await tail.loaded;
    } catch (error) {
      this.leave(tail);
      throw error;
    }
    this.look();
    return tail;
  }

  leave(tail: Tail): void {
    tail.readers -= 1;
    if (tail.readers > 0 || this.tails.get(tail.runId) !== tail) return;
    this.tails.delete(tail.runId);
    if (this.tails.size === 0 && this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
  }

  private hint(ids: string): void {
    if (this.tails.size > 0 && ids.split(',').some((id) => this.tails.has(id))) this.look();
  }

  private make(runId: string): Tail {
    const tail = new Tail(runId);
    this.tails.set(runId, tail);
    tail.loaded = this.load(tail);
    tail.loaded.catch(() => {
      if (this.tails.get(runId) === tail) this.tails.delete(runId);
    });
    return tail;
  }

  /** Reads the log from the beginning, once for all readers. */
  private async load(tail: Tail): Promise<void> {
    for (;;) {
      const events = await this.events.page(tail.runId, tail.lastSeq, EVENTS_PER_LOOK);
      tail.push(events);
      if (events.length < EVENTS_PER_LOOK) return;
    }
  }

  private look(): void {
    this.lookAgain = this.looking !== null;
    if (this.looking !== null) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.looking = this.read()
      .then(
        () => void (this.failing = false),
        (error: unknown) => {
          if (!this.failing) this.logger.warn({ msg: 'events of runs cannot be read', err: error });
          this.failing = true;
        },
      )
      .finally(() => {
        this.looking = null;
        if (this.closed || this.tails.size === 0) return;
        if (this.lookAgain && !this.failing) this.look();
        else this.timer ??= setTimeout(() => this.look(), POLL_MS).unref();
      });
  }

  /** Reads states before events: the last events of an ended run are then among the events. */
  private async read(): Promise<void> {
    const open = [...this.tails.values()].filter(({ ended }) => !ended);
    if (open.length === 0) return;
    const states = await this.events.states(open.map(({ runId }) => runId));
    for (let behind = open; behind.length > 0;) {
      const news = await this.events.news(
        new Map(behind.map(({ runId, lastSeq }) => [runId, lastSeq])),
        EVENTS_PER_LOOK,
      );
      for (const tail of behind) tail.push(news.get(tail.runId) ?? []);
      behind = behind.filter(({ runId }) => news.get(runId)?.length === EVENTS_PER_LOOK);
    }
    for (const tail of open) if (!GOING.has(states.get(tail.runId)) && !tail.ended) tail.end();
  }
}

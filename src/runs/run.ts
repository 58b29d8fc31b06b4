import { type PlanSummary, type RunEvent, type StampedRunEvent, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { LoggedEvent, RunInput, RunSeed } from './run.types';

/** The runs of this process that have not ended. */
@Injectable()
export class ActiveRuns {
  /** Id of this process. Only this process writes rows with its id. */
  readonly workerId = uuidv7();
  private readonly runs = new Map<string, Run>();
  /** Ids of runs that have a row in the table. */
  private readonly rows = new Set<string>();

  get size(): number {
    return this.runs.size;
  }

  add(run: Run): void {
    this.runs.set(run.id, run);
    if (run.background) this.rows.add(run.id);
  }

  get(id: string): Run | undefined {
    return this.runs.get(id);
  }

  /** False when it was not there. */
  delete(id: string): boolean {
    this.rows.delete(id);
    return this.runs.delete(id);
  }

  values(): Run[] {
    return [...this.runs.values()];
  }

  hasRow(id: string): boolean {
    return this.rows.has(id);
  }

  keepRow(id: string): void {
    if (this.runs.has(id)) this.rows.add(id);
  }

  withRow(): string[] {
    return [...this.rows];
  }
}

/** Serialises an event once, for the log and all readers. */
export const loggedEvent = (event: StampedRunEvent): LoggedEvent => ({
  seq: event.seq,
  type: event.type,
  at: event.at,
  data: JSON.stringify(event),
});

export const isTerminal = ({ type }: { readonly type: RunEvent['type'] }): boolean =>
  type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';

/** A piece of the answer waits this long for more, up to this many characters. */
const WAIT_MS = 50;
const MAX_CHARS = 1_024;

/** Joins deltas, so that the log grows with the answer's length instead of the number of chunks. */
export class DeltaGatherer {
  private pieces: string[] = [];
  private chars = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly give: (text: string) => void) {}

  add(text: string): void {
    if (text === '') return;
    this.pieces.push(text);
    this.chars += text.length;
    if (this.chars >= MAX_CHARS) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.chars === 0) return;
    const text = this.pieces.join('');
    this.pieces = [];
    this.chars = 0;
    this.give(text);
  }
}

/** Takes an event of a run that goes on. */
export type TakeRunEvent = (event: StampedRunEvent) => void;

export type RunEnd = Extract<RunEvent, { type: 'run.completed' | 'run.failed' | 'run.cancelled' }>;

/** Limit of progress, retry and warning events per run. Start and end events are never dropped. */
const MAX_CHATTY = 200;
const CHATTY: ReadonlySet<RunEvent['type']> = new Set(['tool.progress', 'tool.retry', 'warning', 'run.progress']);

/**
 * One execution: its id, its abort signal and its events. A run that answers a request keeps no deltas: they are the
 * answer. A background run writes its deltas to a log.
 */
export class Run {
  readonly id: string;
  readonly startedAt = new Date();
  /** Monotonic milliseconds. */
  readonly startedMono = performance.now();
  private readonly controller = new AbortController();
  private readonly recordedEvents: StampedRunEvent[] = [];
  private readonly deltas: DeltaGatherer | null;
  private readonly readers = new Set<TakeRunEvent>();
  private planned: PlanSummary | null = null;
  private seq: number;
  private chatty = 0;
  private closed = false;

  constructor(
    private current: RunInput,
    private readonly seed: RunSeed | null = null,
  ) {
    this.id = seed?.id ?? uuidv7();
    this.seq = seed?.lastSeq ?? 0;
    this.deltas = seed === null ? null : new DeltaGatherer((text) => this.tell({ type: 'llm.delta', text }));
  }

  get input(): RunInput {
    return this.current;
  }

  /** Time of the request; a background run starts later. */
  get createdAt(): Date {
    return this.seed?.createdAt ?? this.startedAt;
  }

  get background(): boolean {
    return this.seed !== null;
  }

  get plan(): PlanSummary | null {
    return this.planned;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** True after the terminal event. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Gives the events from now on to `take`, which must not throw. Returns the function that ends it. */
  follow(take: TakeRunEvent): () => void {
    this.readers.add(take);
    return () => this.readers.delete(take);
  }

  /** All events except deltas, oldest first. */
  get recorded(): readonly StampedRunEvent[] {
    return this.recordedEvents;
  }

  /** Replaces the input of a background run, which may be outdated when the run starts. */
  admit(input: RunInput): void {
    this.current = input;
  }

  start(): void {
    const { assistant, strategy } = this.current;
    this.emit({ type: 'run.started', assistant_id: assistant.id, assistant_type: assistant.type, strategy });
  }

  /** Bound, so that tools and connectors can call it. Events after the end are dropped; only `close` ends a run. */
  readonly emit = (event: RunEvent): void => {
    if (this.closed || isTerminal(event)) return;
    if (event.type === 'llm.delta') {
      this.deltas?.add(event.text);
      return;
    }
    this.deltas?.flush();
    if (this.tells(event)) this.tell(event);
  };

  /** Ends the run. Later calls do nothing. */
  close(event: RunEnd): void {
    if (this.closed) return;
    this.deltas?.flush();
    this.tell(event);
  }

  /** Resolves when the log can take more events; undefined when it can at once. */
  drained(): Promise<void> | undefined {
    return this.seed?.log.drained();
  }

  /** The first reason stays. */
  abort(reason: string): void {
    if (!this.controller.signal.aborted) this.controller.abort(new RunAborted(reason));
  }

  get abortReason(): string | null {
    const reason: unknown = this.signal.reason;
    return reason instanceof RunAborted ? reason.message : null;
  }

  private tell(event: RunEvent): void {
    const log = this.seed?.log;
    if (log?.hasSpace === false && !isTerminal(event)) return;
    this.seq += 1;
    const stamped: StampedRunEvent = { run_id: this.id, seq: this.seq, at: isoNow(), ...event };
    if (event.type !== 'llm.delta') this.recordedEvents.push(stamped);
    if (event.type === 'plan.ready') this.planned = summaryOf(event);
    log?.append(stamped);
    if (isTerminal(event)) this.closed = true;
    for (const take of this.readers) take(stamped);
    if (this.closed) this.readers.clear();
  }

  private tells(event: RunEvent): boolean {
    if (!CHATTY.has(event.type)) return true;
    this.chatty += 1;
    return this.chatty <= MAX_CHATTY;
  }
}

export class RunAborted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AbortError';
  }
}

function summaryOf(event: Extract<RunEvent, { type: 'plan.ready' }>): PlanSummary {
  const { type: _type, message: _message, ...summary } = event;
  return summary;
}

let isoOf = 0;
let iso = '';
/** Events come in bursts, so one text per millisecond is kept. */
function isoNow(): string {
  const now = Date.now();
  if (now !== isoOf) {
    isoOf = now;
    iso = new Date(now).toISOString();
  }
  return iso;
}

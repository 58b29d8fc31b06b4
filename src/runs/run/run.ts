import { type Observable, Subject } from 'rxjs';
import { type PlanSummary, type RunEvent, type StampedRunEvent, uuidv7 } from '../../kernel';
import { DeltaGatherer } from './delta-gatherer';
import { isTerminal } from './logged-event';
import type { RunSeed } from './run-log.types';
import type { RunInput } from './run.types';

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
  private subject: Subject<StampedRunEvent> | null = null;
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

  /** Events from now on. Completes after the terminal event. */
  get events$(): Observable<StampedRunEvent> {
    this.subject ??= new Subject();
    if (this.closed) this.subject.complete();
    return this.subject.asObservable();
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

  /** Resolves when the log can take more events; at once without a log. */
  drained(): Promise<void> {
    return this.seed?.log.drained() ?? Promise.resolve();
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
    if (log?.hasRoom === false && !isTerminal(event)) return;
    this.seq += 1;
    const stamped: StampedRunEvent = { run_id: this.id, seq: this.seq, at: isoNow(), ...event };
    if (event.type !== 'llm.delta') this.recordedEvents.push(stamped);
    if (event.type === 'plan.ready') this.planned = summaryOf(event);
    log?.append(stamped);
    this.subject?.next(stamped);
    if (!isTerminal(event)) return;
    this.closed = true;
    this.subject?.complete();
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

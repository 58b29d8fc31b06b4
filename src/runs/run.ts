import { type Observable, Subject } from 'rxjs';
import { type RunEvent, type StampedRunEvent, uuidv7 } from '../kernel';
import type { RunInput } from './run.types';

/** Chatty events (progress, retries, warnings) kept per run; the few that every tool ends with are always kept. */
const MAX_CHATTY = 200;
const CHATTY: ReadonlySet<RunEvent['type']> = new Set(['tool.progress', 'tool.retry', 'warning', 'run.progress']);

/**
 * One execution: its id, its abort signal and its events. Events are stamped and published only for listeners or for the
 * record, so a run that nobody watches costs a few objects per tool and nothing per token.
 */
export class Run {
  readonly id: string;
  readonly startedAt = new Date();
  /** Monotonic milliseconds. */
  readonly startedMono = performance.now();
  private readonly controller = new AbortController();
  private readonly recordedEvents: StampedRunEvent[] = [];
  private subject: Subject<StampedRunEvent> | null = null;
  private seq = 0;
  private chatty = 0;
  private closed = false;

  constructor(readonly input: RunInput) {
    this.id = uuidv7();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Live events from now on; completes after the terminal event. */
  get events$(): Observable<StampedRunEvent> {
    this.subject ??= new Subject();
    if (this.closed) this.subject.complete();
    return this.subject.asObservable();
  }

  /** Everything but deltas and sources (which the record holds anyway), oldest first; chatty events beyond the first 200 are left out. */
  get recorded(): readonly StampedRunEvent[] {
    return this.recordedEvents;
  }

  /** Bound, so that it can be handed to tools and connectors. Nothing is published after the terminal event. */
  readonly emit = (event: RunEvent): void => {
    if (this.closed) return;
    this.seq += 1;
    const terminal = isTerminal(event);
    const record = this.keeps(event);
    if (record || this.subject?.observed) {
      const stamped: StampedRunEvent = { run_id: this.id, seq: this.seq, at: isoNow(), ...event };
      if (record) this.recordedEvents.push(stamped);
      this.subject?.next(stamped);
    }
    if (!terminal) return;
    this.closed = true;
    this.subject?.complete();
  };

  private keeps(event: RunEvent): boolean {
    if (event.type === 'llm.delta' || event.type === 'sources') return false;
    if (!CHATTY.has(event.type)) return true;
    this.chatty += 1;
    return this.chatty <= MAX_CHATTY;
  }

  /** Aborts everything under the run. The first reason stays. */
  abort(reason: string): void {
    if (!this.controller.signal.aborted) this.controller.abort(new RunAborted(reason));
  }

  /** Why the run was aborted, or null. */
  get abortReason(): string | null {
    const reason: unknown = this.signal.reason;
    return reason instanceof RunAborted ? reason.message : null;
  }
}

export class RunAborted extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AbortError';
  }
}

let isoOf = 0;
let iso = '';
/** Events come in bursts: one text per millisecond is enough. */
function isoNow(): string {
  const now = Date.now();
  if (now !== isoOf) {
    isoOf = now;
    iso = new Date(now).toISOString();
  }
  return iso;
}

const isTerminal = (event: RunEvent): boolean =>
  event.type === 'run.completed' || event.type === 'run.failed' || event.type === 'run.cancelled';

import { type Observable, Subject } from 'rxjs';
import { type RunEvent, type StampedRunEvent, uuidv7 } from '../kernel';
import type { RunInput } from './run.types';

const MAX_RECORDED = 200;

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
  private closed = false;

  constructor(readonly input: RunInput) {
    this.id = uuidv7(this.startedAt.getTime());
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

  /** Everything but deltas, oldest first, at most 200; what came later than that is only counted in `seq`. */
  get recorded(): readonly StampedRunEvent[] {
    return this.recordedEvents;
  }

  /** Bound, so that it can be handed to tools and connectors. Nothing is published after the terminal event. */
  readonly emit = (event: RunEvent): void => {
    if (this.closed) return;
    this.seq += 1;
    const terminal = isTerminal(event);
    const record = event.type !== 'llm.delta' && (terminal || this.recordedEvents.length < MAX_RECORDED);
    if (record || this.subject?.observed) {
      const stamped: StampedRunEvent = { run_id: this.id, seq: this.seq, at: new Date().toISOString(), ...event };
      if (record) this.recordedEvents.push(stamped);
      this.subject?.next(stamped);
    }
    if (!terminal) return;
    this.closed = true;
    this.subject?.complete();
  };

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

const isTerminal = (event: RunEvent): boolean =>
  event.type === 'run.completed' || event.type === 'run.failed' || event.type === 'run.cancelled';

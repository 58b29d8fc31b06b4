/** Longest time of a timer in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** One timer for all calls under way, set to the first that ends: most calls end long before their time is over. */
class CallTimer {
  private readonly calls = new Set<CallDeadline>();
  private timer: NodeJS.Timeout | null = null;
  private ringsAt = Infinity;

  add(call: CallDeadline): void {
    this.calls.add(call);
    if (call.endsAt < this.ringsAt) this.set(call.endsAt);
  }

  delete(call: CallDeadline): void {
    if (this.calls.delete(call) && this.calls.size === 0) this.set(Infinity);
  }

  private set(time: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.ringsAt = time;
    const leftMs = Math.max(1, Math.min(Math.ceil(time - performance.now()), LONGEST_MS));
    this.timer = time === Infinity ? null : setTimeout(() => this.ring(), leftMs);
  }

  private ring(): void {
    const now = performance.now();
    let next = Infinity;
    for (const call of [...this.calls]) {
      if (call.endsAt <= now) {
        this.calls.delete(call);
        call.expire();
      } else next = Math.min(next, call.endsAt);
    }
    this.set(next);
  }
}

const timer = new CallTimer();

/** Joins the caller's abort and the deadline of a call. Dispose of it after the call. */
export class CallDeadline {
  timedOut = false;
  /** Called at the end, by the one who reads the answer at the moment. */
  onEnd: (() => void) | null = null;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  private controller: AbortController | null = null;
  private isOver = false;
  private readonly end = (): void => {
    this.isOver = true;
    this.controller?.abort();
    this.onEnd?.();
  };

  constructor(
    private readonly caller: AbortSignal,
    totalMs: number,
  ) {
    this.endsAt = performance.now() + totalMs;
    timer.add(this);
    if (caller.aborted) this.isOver = true;
    else caller.addEventListener('abort', this.end, { once: true });
  }

  /** Made when it is asked for: most calls end without one. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isOver) this.controller.abort();
    return this.controller.signal;
  }

  get hasEnded(): boolean {
    return this.isOver;
  }

  get cancelled(): boolean {
    return this.caller.aborted;
  }

  get remainingMs(): number {
    return this.endsAt - performance.now();
  }

  /** Ends the call because its time is over. */
  expire(): void {
    this.timedOut = true;
    this.end();
  }

  dispose(): void {
    timer.delete(this);
    this.caller.removeEventListener('abort', this.end);
  }
}

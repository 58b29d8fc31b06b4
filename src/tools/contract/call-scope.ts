/**
 * Stops many tool calls together, with one listener on the run's signal: listeners and signals of their own are most of
 * what a call would cost. The code that opens a scope closes it.
 */
export class CallScope {
  private readonly stops = new Set<() => void>();
  private stopped: boolean;

  constructor(private readonly signal: AbortSignal) {
    this.stopped = signal.aborted;
    if (!this.stopped) signal.addEventListener('abort', this.stop, { once: true });
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  add(stop: () => void): void {
    this.stops.add(stop);
  }

  delete(stop: () => void): void {
    this.stops.delete(stop);
  }

  /** Stops every call that still runs and every later one. */
  readonly stop = (): void => {
    this.stopped = true;
    for (const stop of [...this.stops]) stop();
  };

  close(): void {
    this.signal.removeEventListener('abort', this.stop);
  }
}

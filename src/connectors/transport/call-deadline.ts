/** One signal for the caller's abort and the deadline of a call. Dispose of it after the call. */
export class CallDeadline {
  timedOut = false;
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt: number;
  private readonly onAbort = (): void => this.controller.abort();

  constructor(
    private readonly caller: AbortSignal,
    totalMs: number,
  ) {
    this.endsAt = performance.now() + totalMs;
    this.timer = setTimeout(() => {
      this.timedOut = true;
      this.controller.abort();
    }, totalMs);
    if (caller.aborted) this.controller.abort();
    else caller.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get cancelled(): boolean {
    return this.caller.aborted;
  }

  get remainingMs(): number {
    return this.endsAt - performance.now();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.caller.removeEventListener('abort', this.onAbort);
  }
}

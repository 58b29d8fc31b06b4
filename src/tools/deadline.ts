import { type CallScope, ToolFailure } from './contract';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

const noAnswerWithin = (ms: number): string => `no answer within ${ms} ms`;

/** A try that reached its own bound while its call still had time. */
export class TryTimeout extends ToolFailure {
  constructor(boundMs: number) {
    super('tool.timeout', noAnswerWithin(boundMs));
  }
}

/**
 * The end of one call: its time is over or its run was stopped. A call has one deadline for everything it waits for, one
 * thing after the other. `close` leaves no timer and no entry in the scope behind.
 */
export class Deadline {
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  private readonly timer: NodeJS.Timeout | undefined;
  private failure: ToolFailure | null = null;
  private controller: AbortController | null = null;
  private reject: ((failure: ToolFailure) => void) | null = null;

  constructor(
    startedAt: number,
    timeoutMs: number,
    private readonly scope: CallScope,
  ) {
    this.endsAt = startedAt + timeoutMs;
    if (scope.isStopped) {
      this.failure = cancelled();
      return;
    }
    const ms = Math.max(1, Math.min(Math.ceil(timeoutMs), LONGEST_TIMER_MS));
    this.timer = setTimeout(() => this.end(new ToolFailure('tool.timeout', noAnswerWithin(ms))), ms);
    scope.add(this.stop);
  }

  /**
   * The controller of the next wait or try; no earlier one is aborted after this. A controller instead of its signal: Node
   * makes the signal when it is first read, and few tools read it.
   * @throws ToolFailure after the end
   */
  nextController(): AbortController {
    this.check();
    this.controller = new AbortController();
    return this.controller;
  }

  /** @throws ToolFailure after the end */
  check(): void {
    if (this.failure !== null) throw this.failure;
  }

  /** Settles with `work`, or rejects at the end even when `work` never settles. */
  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.reject = reject;
      if (this.failure !== null) this.interrupt(this.failure);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Resolves after `ms`; rejects at the end. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.reject = (failure) => {
        clearTimeout(timer);
        reject(failure);
      };
      if (this.failure !== null) this.reject(this.failure);
    });
  }

  /** Ends the current wait. It rejects before it aborts, so the tool's reaction to the abort cannot change the outcome. */
  interrupt(failure: ToolFailure): void {
    this.reject?.(failure);
    this.controller?.abort(failure);
  }

  close(): void {
    clearTimeout(this.timer);
    this.scope.delete(this.stop);
  }

  private end(failure: ToolFailure): void {
    this.close();
    this.failure = failure;
    this.interrupt(failure);
  }

  private readonly stop = (): void => this.end(cancelled());
}

const cancelled = (): ToolFailure => new ToolFailure('tool.cancelled', 'cancelled');

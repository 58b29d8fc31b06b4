import { type Awaitable, awaitable } from '@bellwether/kernel';
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
 * thing after the other. The timer begins with the first wait. `close` leaves no timer and no entry in the scope behind.
 */
export class Deadline {
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  private timer: NodeJS.Timeout | null = null;
  private failure: ToolFailure | null = null;
  private controller: AbortController | null = null;
  private reject: ((failure: ToolFailure) => void) | null = null;

  constructor(
    startedAt: number,
    private readonly timeoutMs: number,
    private readonly scope: CallScope,
  ) {
    this.endsAt = startedAt + timeoutMs;
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
    this.noticeStop();
    if (this.failure !== null) throw this.failure;
  }

  /** Settles with `work`, or rejects at the end even when `work` never settles. */
  race<T>(work: T | PromiseLike<T>): Awaitable<T> {
    const waited = awaitable(work);
    if (!(waited instanceof Promise)) return waited;
    this.arm();
    return new Promise<T>((resolve, reject) => {
      this.reject = reject;
      if (this.failure !== null) this.interrupt(this.failure);
      waited.then(resolve, reject);
    });
  }

  /** Resolves after `ms`; rejects at the end. */
  pause(ms: number): Promise<void> {
    this.arm();
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

  /** Begins to watch the end. Called before a wait that `race` and `pause` do not make. */
  arm(): void {
    this.noticeStop();
    if (this.timer !== null || this.failure !== null) return;
    const leftMs = Math.max(1, Math.min(Math.ceil(this.endsAt - performance.now()), LONGEST_TIMER_MS));
    this.timer = setTimeout(() => this.end(new ToolFailure('tool.timeout', this.lateText)), leftMs);
    this.scope.add(this.stop);
  }

  close(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.scope.delete(this.stop);
  }

  /** A scope tells of its stop only from the first wait on. */
  private noticeStop(): void {
    if (this.scope.isStopped) this.failure ??= cancelled();
  }

  private get lateText(): string {
    return noAnswerWithin(Math.max(1, Math.min(Math.ceil(this.timeoutMs), LONGEST_TIMER_MS)));
  }

  private end(failure: ToolFailure): void {
    this.close();
    this.failure = failure;
    this.interrupt(failure);
  }

  private readonly stop = (): void => this.end(cancelled());
}

const cancelled = (): ToolFailure => new ToolFailure('tool.cancelled', 'cancelled');

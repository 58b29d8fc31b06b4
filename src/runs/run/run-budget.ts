import type { Usage } from '../../kernel';

export interface RunLimits {
  /** Milliseconds from the run's start to its deadline. */
  readonly timeoutMs: number;
  /** Tokens of all model answers, including those of called assistants. */
  readonly tokens: number;
  /** Calls of one target, for example of one assistant. */
  readonly callsPerTarget: number;
}

/** Limits of one run. Runs of called assistants share the object. */
export class RunBudget {
  /** Monotonic milliseconds (`performance.now()`). */
  readonly deadline: number;
  private tokens = 0;
  private readonly calls = new Map<string, number>();

  constructor(
    private readonly limits: RunLimits,
    startedMono: number = performance.now(),
  ) {
    this.deadline = startedMono + limits.timeoutMs;
  }

  /** 0 when the deadline has passed. */
  get remainingMs(): number {
    return Math.max(0, this.deadline - performance.now());
  }

  get spentTokens(): number {
    return this.tokens;
  }

  /** True when the tokens or the time are used up. */
  get isSpent(): boolean {
    return this.tokens >= this.limits.tokens || this.remainingMs === 0;
  }

  spend(usage: Usage | null | undefined): void {
    if (usage) this.tokens += usage.total_tokens;
  }

  /** Counts a call of a target such as `assistant:7`. False when the limit is reached. */
  takeCall(target: string): boolean {
    const made = this.calls.get(target) ?? 0;
    if (made >= this.limits.callsPerTarget) return false;
    this.calls.set(target, made + 1);
    return true;
  }
}

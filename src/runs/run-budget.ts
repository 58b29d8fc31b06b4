import type { Usage } from '../kernel';

export interface RunLimits {
  /** Milliseconds from the run's start to its deadline. */
  readonly timeoutMs: number;
  /** Tokens of all model answers together, those of the assistants that it calls included. */
  readonly tokens: number;
  /** Calls of one target, such as one assistant. */
  readonly callsPerTarget: number;
}

/** What one run may spend, retries and the runs of assistants that it calls included: they share the object. */
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

  /** True when every token is spent or the deadline has passed: nothing more may be started. */
  get isSpent(): boolean {
    return this.tokens >= this.limits.tokens || this.remainingMs === 0;
  }

  spend(usage: Usage | null | undefined): void {
    if (usage) this.tokens += usage.total_tokens;
  }

  /** Counts one call of a target, `assistant:7`; false, and not counted, when it has had all of its calls. */
  takeCall(target: string): boolean {
    const made = this.calls.get(target) ?? 0;
    if (made >= this.limits.callsPerTarget) return false;
    this.calls.set(target, made + 1);
    return true;
  }
}

/** What was planned, for whom and by whom: outcomes add up under it. */
export interface OutcomeKey {
  readonly organizationId: string;
  readonly assistantId: number;
  readonly queryClass: string;
  /** Placeholders of the tools that ran, sorted, joined by `+`; empty when none did. */
  readonly tools: string;
  readonly planner: string;
  /** `a` or `b` in an experiment, else empty. */
  readonly arm: string;
  /** UTC, `2026-11-22`. */
  readonly day: string;
}

/** Sums; they merge by adding. */
export interface OutcomeSums {
  plans: number;
  /** Steps that ran, failed ones included. */
  steps: number;
  failedSteps: number;
  /** Milliseconds. */
  durationSum: number;
  planningSum: number;
  /** Of the tools and of the planning. */
  tokens: number;
  confidenceSum: number;
  confidences: number;
}

export interface OutcomeRow {
  readonly key: OutcomeKey;
  readonly sums: OutcomeSums;
}

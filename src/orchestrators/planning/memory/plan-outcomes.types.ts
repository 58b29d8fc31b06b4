/** Columns of the primary key, in its order. */
export const KEY_NAMES = [
  'organizationId',
  'assistantId',
  'queryClass',
  'tools',
  'planner',
  'arm',
  'day',
] as const satisfies readonly (keyof OutcomeKey)[];

/** Columns that add up. */
export const SUM_NAMES = [
  'plans',
  'steps',
  'failedSteps',
  'durationSum',
  'planningSum',
  'tokens',
  'confidenceSum',
  'confidences',
] as const satisfies readonly (keyof OutcomeSums)[];

/** Outcomes of the same key add up. */
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

export interface OutcomeSums {
  plans: number;
  /** Steps that ran, failed ones included. */
  steps: number;
  failedSteps: number;
  /** Milliseconds. */
  durationSum: number;
  planningSum: number;
  /** Tokens of the tools and of the planning. */
  tokens: number;
  confidenceSum: number;
  confidences: number;
}

export interface OutcomeRow {
  readonly key: OutcomeKey;
  readonly sums: OutcomeSums;
}

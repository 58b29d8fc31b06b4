/** The person, key and assistant of usage, and the organization that pays for it. */
export interface UsageSubject {
  readonly organizationId: string;
  /** Organization of the asker when it is another one; else null. */
  readonly callerOrganizationId: string | null;
  /** Null for work of no assistant, such as embedding documents. */
  readonly assistantId: number | null;
  readonly assistantName: string | null;
  /** Null for work of no person. */
  readonly userId: string | null;
  /** Id of an API key; null for sessions and tokens, which are too many to count one by one. */
  readonly credentialId: string | null;
}

export interface UsageFigures {
  readonly runs: number;
  /** Runs that failed or were cancelled. */
  readonly failed: number;
  readonly modelCalls: number;
  /** Model calls whose tokens are estimates: the vendor reported none. */
  readonly estimatedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The part of `promptTokens` that the vendor read from its cache. */
  readonly cachedTokens: number;
  /** Millionths of the organization's currency. */
  readonly costMicros: number;
}

/** Usage of one model on one day (UTC, `YYYY-MM-DD`). Provider and model are empty for runs that asked no model. */
export interface UsageRow extends UsageSubject, UsageFigures {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
}

export const NO_USAGE: UsageFigures = {
  runs: 0,
  failed: 0,
  modelCalls: 0,
  estimatedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  costMicros: 0,
};

export const addFigures = (one: UsageFigures, other: UsageFigures): UsageFigures => ({
  runs: one.runs + other.runs,
  failed: one.failed + other.failed,
  modelCalls: one.modelCalls + other.modelCalls,
  estimatedCalls: one.estimatedCalls + other.estimatedCalls,
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
  costMicros: one.costMicros + other.costMicros,
});

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

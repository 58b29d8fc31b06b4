import type { Period } from './usage-period';

/** Members of one usage row that are summed. */
export const FIGURES = [
  'runs',
  'failed',
  'model_calls',
  'estimated_calls',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_micros',
] as const;
export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** Rows by day are zero-filled; the others are sorted by cost. */
export const GROUPINGS = ['day', 'assistant', 'model', 'person', 'key'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Parts of a day, for stacked plots. */
export const SPLITS = ['assistant', 'model'] as const;
export type Split = (typeof SPLITS)[number];

export interface UsageFilter extends Period {
  readonly assistantId: number | null;
  readonly model: string | null;
}

/** Both null: work for no assistant, such as embeddings of documents. */
export interface AssistantName {
  readonly id: number | null;
  readonly name: string | null;
}

/** Both empty for runs that asked no model. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** All null: the row belongs to nobody any more, or to callers of another organization. */
export interface PersonName {
  readonly user_id: string | null;
  readonly name: string | null;
  readonly email: string | null;
  /** Pseudonym, in place of the other members where people stay pseudonymous. */
  readonly pseudonym: string | null;
  /** Organization of the callers when it is another one. */
  readonly organization: { readonly id: string; readonly name: string | null } | null;
}

/** All null: without an API key, as in the browser. */
export interface KeyName {
  readonly id: string | null;
  readonly name: string | null;
  readonly pseudonym: string | null;
}

export const NO_USAGE: Figures = {
  runs: 0,
  failed: 0,
  model_calls: 0,
  estimated_calls: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cost_micros: 0,
};

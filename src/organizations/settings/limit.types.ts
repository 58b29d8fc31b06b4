export const RULE_SUBJECTS = ['organization', 'group', 'person', 'key', 'assistant'] as const;
export type RuleSubject = (typeof RULE_SUBJECTS)[number];

/** `runs` and `streams` are concurrent, `cost` is in the organization's currency, `storage` in bytes. */
export const RULE_LIMITS = ['requests', 'runs', 'streams', 'tokens', 'cost', 'storage'] as const;
export type RuleLimit = (typeof RULE_LIMITS)[number];

/** All windows are in UTC. */
export const RULE_WINDOWS = ['minute', 'day', 'month', 'term'] as const;
export type RuleWindow = (typeof RULE_WINDOWS)[number];

export const RULE_ENDINGS = ['stop', 'fast_model', 'teachers_only'] as const;
export type RuleEnding = (typeof RULE_ENDINGS)[number];

export interface LimitRule {
  readonly id: string;
  /** Without `id` the rule counts each person, group, key or assistant for itself. */
  readonly for: { readonly kind: RuleSubject; readonly id?: string };
  readonly limit: RuleLimit;
  readonly amount: number;
  /** Absent for `runs`, `streams` and `storage`. */
  readonly per?: RuleWindow;
  /** `stop` when absent. */
  readonly at_end?: RuleEnding;
  /** Only system administrators may change or remove the rule. */
  readonly locked?: boolean;
}

/** Both days belong to the term: `YYYY-MM-DD`. */
export interface Term {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Price per million tokens from a day on. */
export interface ModelPrice {
  readonly provider: string;
  readonly model: string;
  /** `YYYY-MM-DD`; the price with the latest day that is not in the future counts. */
  readonly from: string;
  readonly input: number;
  readonly output: number;
  /** Prompt tokens that the vendor read from its cache; absent: as `input`. */
  readonly cached_input?: number;
}

export interface PriceSettings {
  /** ISO 4217 */
  readonly currency?: string;
  readonly models?: readonly ModelPrice[];
}

/** Settings of calls between assistants, rules and terms. */
export interface LimitSettings {
  readonly assistant_calls?: Readonly<Record<string, number>>;
  readonly rules?: readonly LimitRule[];
  readonly terms?: readonly Term[];
  /** Share of the places for answers while they are scarce; 1 when absent. Only system administrators may change it. */
  readonly weight?: number;
  readonly [other: string]: unknown;
}

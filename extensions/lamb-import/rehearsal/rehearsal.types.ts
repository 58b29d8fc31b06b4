import type { ImportProgress } from '../plan/plan.types';

/** One question for one assistant of the source. */
export interface RehearsedQuestion {
  /** The assistant's id in LAMB. */
  readonly assistant: number;
  readonly text: string;
}

export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly email: string; readonly password: string };

export interface RehearsalOptions {
  /** LAMB's address, without a path of its API. */
  readonly address: string;
  /** True: a private address is allowed. */
  readonly isPrivateAllowed: boolean;
  readonly credential: Credential;
  readonly sourceName: string;
  /** The source's slug of the only organization to rehearse; null for all. */
  readonly organization: string | null;
  /** null: `NEUTRAL_QUESTIONS` for every assistant. */
  readonly questions: readonly RehearsedQuestion[] | null;
  /** Most requests to LAMB in a second. */
  readonly requestsPerSecond: number;
  readonly timeoutMs: number;
  readonly stateFile: string;
  readonly progress: ImportProgress;
  /** Ends the rehearsal after the current question. */
  readonly signal: AbortSignal;
}

export const OUTCOMES = ['same', 'spaces', 'different', 'refused_here', 'refused_there', 'refused_both'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface KnownReason {
  readonly code: string;
  readonly message: string;
}

export interface Comparison {
  readonly outcome: Outcome;
  readonly reasons: readonly KnownReason[];
  /** Short unified diff, `-` for LAMB and `+` for here; empty unless `different`. */
  readonly diff: readonly string[];
}

export interface RehearsedPair extends Comparison {
  /** The assistant's id in LAMB. */
  readonly assistant: number;
  readonly question: string;
}

export interface RehearsedAssistant {
  readonly origin: number;
  /** Its id here; null when it was not imported. */
  readonly id: number | null;
  readonly name: string;
  readonly organization: string;
}

export interface RehearsalReport {
  readonly address: string;
  readonly source: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly assistants: readonly RehearsedAssistant[];
  readonly pairs: readonly RehearsedPair[];
  /** Pairs that were not asked yet. */
  readonly open: number;
  /** One sentence about what stopped the rehearsal; null when every pair was compared. */
  readonly stopped: string | null;
}

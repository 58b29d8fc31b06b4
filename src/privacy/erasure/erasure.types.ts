import type { DataKind } from '../person-table.types';

/** Treatment of content that nobody else uses. Content that others use always goes to the heir. */
export const UNSHARED_CHOICES = ['delete', 'hand_over'] as const;
export type Unshared = (typeof UNSHARED_CHOICES)[number];

export const ERASURE_STATES = ['queued', 'running', 'done'] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** Content that people own. */
export const CONTENT_TYPES = [
  'assistants',
  'knowledge_bases',
  'rubrics',
  'prompt_templates',
  'external_collections',
  'files',
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** Rows by their treatment: `deleted`, `anonymised`, `redacted`. */
export type Treatment = 'deleted' | 'anonymised' | 'redacted';
export type ErasureCounts = Readonly<Partial<Record<Treatment, Readonly<Partial<Record<DataKind, number>>>>>>;
/** Ids of content that another person owns now. */
export type HandedOver = Readonly<Partial<Record<ContentType, readonly string[]>>>;

/** A person who has data in an organization, with or without a membership. */
export interface Subject {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** Null without a membership. */
  readonly role: string | null;
  readonly disabled: boolean;
  readonly systemAdmin: boolean;
  /** Memberships in other organizations. */
  readonly elsewhere: number;
}

export interface ContentItem {
  readonly type: ContentType;
  readonly id: string;
  readonly name: string;
}

export interface ContentPlan {
  readonly handOver: readonly ContentItem[];
  readonly delete: readonly ContentItem[];
}

/** An obstacle that somebody has to remove before the erasure. */
export interface ErasureProblem {
  readonly code: 'last_owner' | 'last_system_admin' | 'own_account' | 'no_heir' | 'heir_unfit' | 'file_name_taken';
  readonly message: string;
}

/** Data that stays, with the reason. */
export interface KeptData {
  readonly code: string;
  readonly count?: number;
  readonly reason: string;
}

/** Effects of an erasure before it begins. */
export interface ErasurePlan {
  readonly subject: Subject;
  readonly heir: Subject | null;
  readonly unshared: Unshared;
  readonly content: ContentPlan;
  /** Rows by kind. */
  readonly counts: Readonly<Partial<Record<DataKind, number>>>;
  readonly kept: readonly KeptData[];
  readonly problems: readonly ErasureProblem[];
}

export interface ErasureReport {
  readonly version: 1;
  readonly counts: ErasureCounts;
  readonly handed_over: HandedOver;
  readonly kept: readonly KeptData[];
  /** `deleted`, or `kept` while the person is a member of another organization. */
  readonly account: 'deleted' | 'kept';
  readonly finished_at: string;
}

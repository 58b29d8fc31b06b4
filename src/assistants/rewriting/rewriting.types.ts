import type { Definition, MetadataVersion, RewritePlan } from '../definition';

export interface RewriteSubject {
  readonly id: number;
  readonly organizationId: string;
  readonly ownerId: string;
  /** A write expects this version. */
  readonly version: number;
  readonly definition: Definition;
}

export const REWRITE_REASONS = ['migrate', 'convert', 'rollback'] as const;
export type RewriteReason = (typeof REWRITE_REASONS)[number];

/** One written assistant. The version history and the audit hold the documents. */
export interface Rewritten {
  readonly id: number;
  readonly organizationId: string;
  readonly from: MetadataVersion;
  readonly to: MetadataVersion;
  /** Versions of the definition before and after. */
  readonly oldVersion: number;
  readonly newVersion: number;
  readonly auditId: string;
}

/** Selects live assistants by id, after `afterId`. */
export interface SubjectQuery {
  /** null: of every organization. */
  readonly organizationId: string | null;
  readonly afterId: number;
  readonly limit: number;
  readonly onlyId?: number;
}

export interface RewriteChange {
  readonly subject: RewriteSubject;
  readonly plan: Extract<RewritePlan, { readonly status: 'ready' }>;
  readonly reason: RewriteReason;
  readonly batchId: string | null;
}

/** Rolls back one rewrite of an assistant. */
export interface RollbackRequest {
  readonly assistantId: number;
  readonly organizationId: string;
  /** Versions of the definition before and after the rewrite. */
  readonly oldVersion: number;
  readonly newVersion: number;
  /** Also overwrites later edits. */
  readonly force: boolean;
  readonly batchId: string | null;
  /** Checks that a document of the history is the one before the rewrite. When absent, the version number decides. */
  readonly isOld?: (definition: Pick<Definition, 'metadata' | 'promptTemplate'>) => boolean;
}

export type RollbackOutcome =
  /** `overEdits`: versions that were saved after the rewrite and are overwritten now. */
  | { readonly status: 'done'; readonly rewritten: Rewritten; readonly overEdits: readonly number[] }
  /** Versions were saved after the rewrite; nothing is written. */
  | { readonly status: 'edited'; readonly edits: readonly number[] }
  | { readonly status: 'gone' }
  /** The history lacks the old version or holds another document. */
  | { readonly status: 'history_missing' }
  /** Metadata, template and type are the old ones. */
  | { readonly status: 'already' };

import type { Definition, MetadataVersion, RewritePlan } from '../../definition';

/** An assistant whose stored document may be rewritten, as it was read. */
export interface RewriteSubject {
  readonly id: number;
  readonly organizationId: string;
  readonly ownerId: string;
  /** Of the definition: what a write must still find. */
  readonly version: number;
  readonly definition: Definition;
}

/** Who has a document rewritten; null for the service itself (policy `on_access`, operator commands). */
export const REWRITE_REASONS = ['migrate', 'convert', 'rollback'] as const;
export type RewriteReason = (typeof REWRITE_REASONS)[number];

/** What was written for one assistant; the documents lie in its version history and in the audit. */
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

/** Which stored definitions to look at: live assistants by id, after `afterId`. */
export interface SubjectQuery {
  /** null: of every organization. */
  readonly organizationId: string | null;
  readonly afterId: number;
  readonly limit: number;
  readonly onlyId?: number;
}

/** One plan to carry out. */
export interface RewriteChange {
  readonly subject: RewriteSubject;
  readonly plan: Extract<RewritePlan, { readonly status: 'ready' }>;
  readonly reason: RewriteReason;
  readonly batchId: string | null;
}

/** Takes an assistant back behind a rewrite of it. */
export interface RollbackRequest {
  readonly assistantId: number;
  readonly organizationId: string;
  /** Versions of the definition before and after the rewrite. */
  readonly oldVersion: number;
  readonly newVersion: number;
  /** Over later edits, too. */
  readonly force: boolean;
  readonly batchId: string | null;
  /** Whether a document of the history is the one that was rewritten; its version number alone tells when absent. */
  readonly isOld?: (definition: Pick<Definition, 'metadata' | 'promptTemplate'>) => boolean;
}

export type RollbackOutcome =
  /** `overEdits`: versions saved after the rewrite, whose metadata and template are no longer the current ones. */
  | { readonly status: 'done'; readonly rewritten: Rewritten; readonly overEdits: readonly number[] }
  /** Versions were saved after the rewrite; nothing is written. */
  | { readonly status: 'edited'; readonly edits: readonly number[] }
  /** Deleted. */
  | { readonly status: 'gone' }
  /** Its history does not hold the old version, or not as it was: it cannot go back. */
  | { readonly status: 'history_missing' }
  /** Metadata, template and type are the old ones. */
  | { readonly status: 'already' };

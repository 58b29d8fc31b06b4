import type { MetadataVersion, PromptDifference } from '../../definition';
import type { Caller, Problem } from '../../kernel';
import type { LeaseHolder } from '../../platform/database';

/** Metadata versions that documents can be migrated to. */
export const TARGET_VERSIONS = [2, 3] as const;
export type TargetVersion = (typeof TARGET_VERSIONS)[number];
export const NEWEST_VERSION: TargetVersion = 3;

/** `running` and `rolling_back` without a live lease: the process was killed. */
export const BATCH_STATES = ['queued', 'running', 'interrupted', 'done', 'rolling_back', 'rolled_back'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const BATCH_TASKS = ['apply', 'rollback', 'verify'] as const;
export type BatchTask = (typeof BATCH_TASKS)[number];

export const ITEM_STATUSES = ['migrated', 'skipped', 'failed', 'rolled_back'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** The assistants and the target version; `organizationId` null: all organizations. */
export interface BatchScope {
  readonly organizationId: string | null;
  readonly to: TargetVersion;
}

export interface BatchCounts {
  /** Live assistants of the scope when the batch began. */
  readonly total: number;
  /** Examined so far. */
  readonly examined: number;
  readonly migrated: number;
  readonly skipped: number;
  readonly failed: number;
  readonly rolledBack: number;
}

export interface Batch extends BatchCounts {
  readonly id: string;
  readonly organizationId: string | null;
  readonly to: TargetVersion;
  readonly state: BatchState;
  /** The running or queued task; null: none. */
  readonly task: BatchTask | null;
  /** Run by the server's jobs. */
  readonly background: boolean;
  /** A rollback overwrites later edits. */
  readonly forced: boolean;
  readonly batchSize: number;
  /** The person who asked for the task; null for operator commands. */
  readonly actor: Caller | null;
  /** null when it expired by the database's clock. */
  readonly lease: { readonly holder: LeaseHolder; readonly until: Date } | null;
  readonly applyCursor: number;
  readonly rollbackCursor: number;
  /** Report of the last rollback or verification. */
  readonly result: RollbackReport | VerifyReport | null;
  /** Why the last task failed on the server. */
  readonly failure: TaskFailure | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface TaskFailure {
  readonly task: BatchTask;
  readonly at: string;
  /** A problem's `code`. */
  readonly code: string;
  readonly detail: string;
}

/** The result of one assistant. */
export interface BatchItem {
  readonly assistantId: number;
  readonly organizationId: string;
  readonly status: ItemStatus;
  /** null when the stored document cannot be read. */
  readonly from: MetadataVersion | null;
  /** Versions of the definition before and after; null unless it was rewritten. */
  readonly oldVersion: number | null;
  readonly newVersion: number | null;
  /** SHA-256 over metadata and template before and after. */
  readonly oldHash: string | null;
  readonly newHash: string | null;
  readonly problems: readonly Problem[];
  readonly differences: readonly PromptDifference[];
  readonly auditId: string | null;
}

/** A failed item with the assistant's current name; empty when it was deleted since. */
export interface FailedItem extends BatchItem {
  readonly name: string;
}

/** An assistant that was saved after the batch had migrated it. */
export interface EditedItem {
  readonly assistantId: number;
  /** The version the batch wrote, and the current one. */
  readonly newVersion: number;
  readonly version: number;
}

export interface RollbackReport {
  readonly task: 'rollback';
  readonly at: string;
  readonly rolledBack: number;
  /** Saved since: skipped, or overwritten when forced. The first hundred. */
  readonly edited: readonly EditedItem[];
  readonly editedCount: number;
  /** Deleted since. */
  readonly gone: number;
  /** Not rolled back: the version history lacks the old document. */
  readonly historyMissing: number;
  /** False when it was stopped before its end. */
  readonly complete: boolean;
}

export interface VerifyFault {
  readonly assistantId: number;
  readonly code: string;
  readonly message: string;
}

export interface VerifyReport {
  readonly task: 'verify';
  readonly at: string;
  readonly checked: number;
  readonly sound: number;
  /** Edited or deleted since, which is no fault. */
  readonly edited: number;
  readonly gone: number;
  readonly faultCount: number;
  /** The first hundred. */
  readonly faults: readonly VerifyFault[];
  readonly complete: boolean;
}

export interface BatchProgress {
  readonly done: number;
  /** null while it is unknown. */
  readonly total: number | null;
  readonly text: string;
}

/** Progress and stop of a task. It stops between chunks, never inside one. */
export interface TaskControl {
  readonly signal: AbortSignal;
  readonly report: (progress: BatchProgress) => void;
}

/** Longest list in a report. */
export const MOST_LISTED = 100;

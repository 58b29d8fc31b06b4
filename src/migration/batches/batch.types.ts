import type { MetadataVersion, PromptDifference } from '../../assistants';
import type { Caller, Problem } from '../../kernel';
import type { ProcessIdentity } from '../../platform/database';

/** Newest version, and the least that documents can be taken to. */
export const TARGET_VERSIONS = [2, 3] as const;
export type TargetVersion = (typeof TARGET_VERSIONS)[number];
export const NEWEST_VERSION: TargetVersion = 3;

/** `running` and `rolling_back` without a live lease: whoever worked on it is gone. */
export const BATCH_STATES = ['queued', 'running', 'interrupted', 'done', 'rolling_back', 'rolled_back'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

export const BATCH_TASKS = ['apply', 'rollback', 'verify'] as const;
export type BatchTask = (typeof BATCH_TASKS)[number];

export const ITEM_STATUSES = ['migrated', 'skipped', 'failed', 'rolled_back'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** Which assistants, and how far; `organizationId` null: of every organization. */
export interface BatchScope {
  readonly organizationId: string | null;
  readonly to: TargetVersion;
}

/** Who works on a batch, in words for others and in data for finding out whether the process still lives. */
export interface LeaseHolder {
  readonly label: string;
  readonly process: ProcessIdentity;
}

export interface BatchCounts {
  /** Live assistants of the scope when the batch began. */
  readonly total: number;
  /** Of these, looked at so far. */
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
  /** What goes on or is to be done; null when nothing is. */
  readonly task: BatchTask | null;
  /** Carried out by the server's jobs. */
  readonly background: boolean;
  /** A rollback goes over later edits. */
  readonly forced: boolean;
  readonly batchSize: number;
  /** Who asked for the task; null for operator commands. */
  readonly actor: Caller | null;
  /** Null unless it is live by the database's clock. */
  readonly lease: { readonly holder: LeaseHolder; readonly until: Date } | null;
  readonly applyCursor: number;
  readonly rollbackCursor: number;
  /** Outcome of the last rollback or verification. */
  readonly result: RollbackReport | VerifyReport | null;
  /** Why the server ended the last task before its end. */
  readonly failure: TaskFailure | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface TaskFailure {
  readonly task: BatchTask;
  readonly at: string;
  /** As in an answer over HTTP. */
  readonly code: string;
  readonly detail: string;
}

/** What became of one assistant. */
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

/** An assistant that was saved again after the batch had rewritten it. */
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
  /** Saved again since: left alone, or, when forced, overwritten. The first hundred. */
  readonly edited: readonly EditedItem[];
  readonly editedCount: number;
  /** Deleted since. */
  readonly gone: number;
  /** Not rolled back, as the version history lacks the old document: a fault. */
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
  /** Edited or deleted since: not an error. */
  readonly edited: number;
  readonly gone: number;
  readonly faultCount: number;
  /** The first hundred. */
  readonly faults: readonly VerifyFault[];
  readonly complete: boolean;
}

export interface BatchProgress {
  readonly done: number;
  /** null while nobody knows it. */
  readonly total: number | null;
  readonly text: string;
}

/** How a task is watched and stopped: between chunks, never inside one. */
export interface TaskControl {
  readonly signal: AbortSignal;
  readonly report: (progress: BatchProgress) => void;
}

/** How many listed things a report holds at most. */
export const MOST_LISTED = 100;

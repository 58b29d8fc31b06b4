import type { Caller, CamelCased } from '@bellwether/kernel';
import type { LeaseHolder } from '../../infrastructure/database';
import type { BatchState, TargetVersion } from './batch-states';
import type {
  BatchDto,
  BatchItemDto,
  EditedAssistantDto,
  MigrationPlanDto,
  OrganizationVersionsDto,
  PlannedRefusalDto,
  PlannedRewriteDto,
  RollbackResultDto,
  TaskFailureDto,
  VerifyFaultDto,
  VerifyResultDto,
  VersionCountDto,
} from './migration-answer.dto';

export * from './batch-states';

export type EditedItem = CamelCased<EditedAssistantDto>;
export type RollbackReport = CamelCased<RollbackResultDto>;
export type TaskFailure = CamelCased<TaskFailureDto>;
export type VerifyFault = CamelCased<VerifyFaultDto>;
export type VerifyReport = CamelCased<VerifyResultDto>;
export type VersionCount = CamelCased<VersionCountDto>;
export type PlannedRewrite = CamelCased<PlannedRewriteDto>;
export type PlannedRefusal = CamelCased<PlannedRefusalDto>;
export type OrganizationStatus = CamelCased<OrganizationVersionsDto>;
/** The effect that a migration would have now. */
export type MigrationPlan = Omit<CamelCased<MigrationPlanDto>, 'dryRun' | 'to'> & BatchScope;

/** The assistants and the target version; `organizationId` null: all organizations. */
export interface BatchScope {
  readonly organizationId: string | null;
  readonly to: TargetVersion;
}

type BatchView = CamelCased<
  Omit<BatchDto, 'state' | 'lease' | 'created_at' | 'finished_at' | 'organization_id' | 'to'>
>;

export interface Batch extends BatchView, BatchScope {
  readonly state: BatchState;
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
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface BatchItem extends CamelCased<BatchItemDto> {
  readonly organizationId: string;
  /** SHA-256 over metadata and template before and after. */
  readonly oldHash: string | null;
  readonly newHash: string | null;
}

/** A failed item with the assistant's current name; empty when it was deleted since. */
export interface FailedItem extends BatchItem {
  readonly name: string;
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

export const MOST_LISTED = 100;

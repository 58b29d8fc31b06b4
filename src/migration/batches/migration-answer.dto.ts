import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ASSISTANT_TYPES, type AssistantType } from '../../assistants/definition';
import { PageOf, ProblemItemDto, Moment, Id } from '../../infrastructure/http';
import { BATCH_STATES, BATCH_TASKS, type BatchTask, ITEM_STATUSES, type ItemStatus } from './batch-states';

export class VersionCountDto {
  /** null: the stored document cannot be read. */
  @ApiProperty({ example: 1 }) version!: number | null;
  @ApiProperty({ enum: ASSISTANT_TYPES })
  type!: AssistantType;
  count!: number;
}

export class OrganizationVersionsDto {
  slug!: string;
  /** Whether its assistants may be migrated: the feature `multi_tool`. */
  migratable!: boolean;
  total!: number;
  versions!: VersionCountDto[];
}

export class LeaseDto {
  /** The process that works on the batch. */
  @ApiProperty({ example: 'the server' })
  holder!: string;
  /** The lease is renewed with every chunk. */
  @Moment() until!: string;
}

/** A prompt that would change, around the first difference. */
export class MigrationDifferenceDto {
  /** Recorded input with which the prompts differ. */
  input!: string;
  before!: string;
  after!: string;
}

/** An assistant that was saved after the batch had migrated it. */
export class EditedAssistantDto {
  assistant_id!: number;
  /** The version the batch wrote, and the one saved since. */
  new_version!: number;
  version!: number;
}

export class RollbackResultDto {
  @ApiProperty({ enum: ['rollback'] })
  task!: 'rollback';
  @Moment() at!: string;
  rolled_back!: number;
  /** Saved since: skipped, or overwritten when forced. The first hundred. */
  edited!: EditedAssistantDto[];
  edited_count!: number;
  /** Deleted since. */
  gone!: number;
  /** Not rolled back: the version history lacks the old document. */
  history_missing!: number;
  /** False when it was stopped before its end. */
  complete!: boolean;
}

export class VerifyFaultDto {
  assistant_id!: number;
  code!: string;
  message!: string;
}

export class VerifyResultDto {
  @ApiProperty({ enum: ['verify'] })
  task!: 'verify';
  @Moment() at!: string;
  checked!: number;
  /** Unchanged since the batch, or rolled back to the old documents. */
  sound!: number;
  /** Edited or deleted since, which is no error. */
  edited!: number;
  gone!: number;
  fault_count!: number;
  /** The first hundred. */
  faults!: VerifyFaultDto[];
  /** False when it was stopped before its end. */
  complete!: boolean;
}

export class TaskFailureDto {
  @ApiProperty({ enum: BATCH_TASKS })
  task!: BatchTask;
  @Moment() at!: string;
  /** Code of a problem. */
  @ApiProperty({ example: 'forbidden' })
  code!: string;
  detail!: string;
}

@ApiExtraModels(RollbackResultDto, VerifyResultDto)
export class BatchDto {
  @Id() id!: string;
  /** null: all organizations. */
  organization_id!: string | null;
  to!: number;
  @ApiProperty({ enum: BATCH_STATES })
  state!: string;
  /** The running or queued task. */
  @ApiProperty({ enum: BATCH_TASKS })
  task!: BatchTask | null;
  lease!: LeaseDto | null;
  /** Live assistants when the batch began, and how many were examined so far. */
  total!: number;
  examined!: number;
  migrated!: number;
  skipped!: number;
  failed!: number;
  rolled_back!: number;
  /** Result of the last rollback or verification. */
  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(RollbackResultDto) }, { $ref: getSchemaPath(VerifyResultDto) }],
    nullable: true,
  })
  result!: RollbackResultDto | VerifyResultDto | null;
  /** Why the last task failed on the server. */
  failure!: TaskFailureDto | null;
  @Moment() created_at!: string;
  @Moment() finished_at!: string | null;
}

export class BatchPageDto extends PageOf(BatchDto) {}

export class MigrationStatusDto {
  organizations!: OrganizationVersionsDto[];
  /** Newest first. */
  batches!: BatchPageDto;
}

export class BatchItemDto {
  assistant_id!: number;
  /** Null for an assistant that was deleted since. */
  name?: string | null;
  @ApiProperty({ enum: ITEM_STATUSES })
  status!: ItemStatus;
  from!: number | null;
  /** Versions of the assistant before and after. */
  old_version!: number | null;
  new_version!: number | null;
  problems!: ProblemItemDto[];
  differences!: MigrationDifferenceDto[];
  /** Entry of the audit that holds both documents. */
  audit_id!: string | null;
}

export class BatchItemPageDto extends PageOf(BatchItemDto) {}

export class BatchDetailDto extends BatchDto {
  items!: BatchItemPageDto;
}

export class PlannedRewriteDto {
  assistant_id!: number;
  name!: string;
  from!: number;
  /** Lines of a unified diff of metadata and template. */
  diff!: string[];
  notes!: ProblemItemDto[];
}

export class PlannedRefusalDto {
  assistant_id!: number;
  name!: string;
  from!: number | null;
  problems!: ProblemItemDto[];
  differences!: MigrationDifferenceDto[];
}

export class SkippedOrganizationDto {
  organization_id!: string;
  count!: number;
}

export class MigrationPlanDto {
  dry_run!: true;
  to!: number;
  examined!: number;
  /** Assistants that would be migrated, already have the version, are skipped because of their organization, or are refused. */
  migrate!: number;
  current!: number;
  skipped!: number;
  failed!: number;
  versions!: VersionCountDto[];
  /** The first twenty, fewer when they are long. */
  rewrites!: PlannedRewriteDto[];
  /** The first hundred. */
  refusals!: PlannedRefusalDto[];
  skipped_organizations!: SkippedOrganizationDto[];
  /** False when it was stopped before its end. */
  complete!: boolean;
}

/** One assistant of a batch, rolled back. */
export class RolledBackDto extends RollbackResultDto {
  @Id() batch!: string;
}

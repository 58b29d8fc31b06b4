import { ApiProperty } from '@nestjs/swagger';
import { BATCH_STATES, BATCH_TASKS, ITEM_STATUSES } from '../batches/batch.types';

export class VersionCountDto {
  /** null: the stored document cannot be read. */
  @ApiProperty({ type: 'integer', nullable: true, example: 1 })
  version!: number | null;
  @ApiProperty({ enum: ['classic', 'multi_tool'] })
  type!: string;
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
  /** Process that works on the batch. */
  holder!: string;
  /** The lease is renewed with every chunk. */
  @ApiProperty({ format: 'date-time' })
  until!: string;
}

export class ProblemItemDto {
  path!: string;
  message!: string;
  @ApiProperty({ required: false })
  code?: string;
}

export class PromptDifferenceDto {
  /** Recorded input with which the prompts differ. */
  input!: string;
  before!: string;
  after!: string;
}

export class BatchDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  /** null: every organization. */
  @ApiProperty({ type: 'string', nullable: true })
  organization_id!: string | null;
  to!: number;
  @ApiProperty({ enum: BATCH_STATES })
  state!: string;
  /** What goes on or waits. */
  @ApiProperty({ enum: BATCH_TASKS, nullable: true })
  task!: string | null;
  @ApiProperty({ type: LeaseDto, nullable: true })
  lease!: LeaseDto | null;
  /** Live assistants when the batch began, and how many of them were looked at so far. */
  total!: number;
  examined!: number;
  migrated!: number;
  skipped!: number;
  failed!: number;
  rolled_back!: number;
  /** Outcome of the last rollback or verification. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  result!: object | null;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finished_at!: string | null;
}

export class BatchPageDto {
  items!: BatchDto[];
  @ApiProperty({ type: 'string', nullable: true })
  next_cursor!: string | null;
  total!: number;
}

export class MigrationStatusDto {
  organizations!: OrganizationVersionsDto[];
  /** Newest first. */
  batches!: BatchPageDto;
}

export class BatchItemDto {
  assistant_id!: number;
  @ApiProperty({ enum: ITEM_STATUSES })
  status!: string;
  @ApiProperty({ type: 'integer', nullable: true })
  from!: number | null;
  /** Versions of the assistant before and after. */
  @ApiProperty({ type: 'integer', nullable: true })
  old_version!: number | null;
  @ApiProperty({ type: 'integer', nullable: true })
  new_version!: number | null;
  problems!: ProblemItemDto[];
  differences!: PromptDifferenceDto[];
  /** Entry of the audit that holds both documents. */
  @ApiProperty({ type: 'string', nullable: true })
  audit_id!: string | null;
}

export class BatchItemPageDto {
  items!: BatchItemDto[];
  @ApiProperty({ type: 'string', nullable: true })
  next_cursor!: string | null;
  total!: number;
}

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
  @ApiProperty({ type: 'integer', nullable: true })
  from!: number | null;
  problems!: ProblemItemDto[];
  differences!: PromptDifferenceDto[];
}

export class SkippedOrganizationDto {
  organization_id!: string;
  count!: number;
}

export class MigrationPlanDto {
  dry_run!: true;
  to!: number;
  examined!: number;
  /** How many would be rewritten; are in that version already; are left alone because of their organization; are refused. */
  migrate!: number;
  current!: number;
  skipped!: number;
  failed!: number;
  versions!: VersionCountDto[];
  /** The first twenty. */
  rewrites!: PlannedRewriteDto[];
  /** The first hundred. */
  refusals!: PlannedRefusalDto[];
  skipped_organizations!: SkippedOrganizationDto[];
}

export class RollbackDto {
  @ApiProperty({ format: 'uuid' })
  batch!: string;
  rolled_back!: number;
  gone!: number;
}

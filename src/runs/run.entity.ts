import type { PlanSummary, RunStatus, Source, SourcePassage, StampedRunEvent } from '@bellwether/kernel';
import { Column, Entity, Index, PrimaryColumn, getMetadataArgsStorage } from 'typeorm';
import type { ShapedReport } from './report.types';
import type { RatingValue, RunReplay, ToolTiming } from './run.types';

@Entity('runs')
@Index('runs_organization_idx', ['organizationId', 'id'])
@Index('runs_assistant_idx', ['organizationId', 'assistantId', 'id'])
@Index('runs_user_idx', ['organizationId', 'userId', 'id'])
@Index('runs_asked_elsewhere_idx', ['callerOrganizationId', 'userId', 'id'], {
  where: 'caller_organization_id IS NOT NULL AND parent_run_id IS NULL',
})
@Index('runs_parent_idx', ['parentRunId'], { where: 'parent_run_id IS NOT NULL' })
@Index('runs_going_idx', ['createdAt'], { where: `status IN ('queued', 'running')` })
@Index('runs_cancel_idx', ['workerId'], { where: `status = 'running' AND cancel_requested_at IS NOT NULL` })
@Index('runs_problems_idx', ['organizationId', 'id'], { where: 'problems > 0' })
@Index('runs_status_idx', ['organizationId', 'status', 'id'], { where: `status <> 'completed'` })
@Index('runs_rating_idx', ['organizationId', 'rating', 'id'], { where: 'rating IS NOT NULL' })
@Index('runs_contents_idx', ['createdAt'], { where: 'pruned_at IS NULL' })
export class RunEntity {
  /** UUID version 7: the order of ids is the order of starts. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'caller_organization_id', nullable: true })
  callerOrganizationId!: string | null;

  @Column('uuid', { name: 'parent_run_id', nullable: true })
  parentRunId!: string | null;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'credential_id', nullable: true })
  credentialId!: string | null;

  /** `X-Request-Id` of the request that asked; null without one, and in old runs. */
  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('text', { name: 'assistant_name' })
  assistantName!: string;

  @Column('text', { name: 'assistant_type' })
  assistantType!: 'classic' | 'multi_tool';

  @Column('integer', { name: 'assistant_version', nullable: true })
  assistantVersion!: number | null;

  @Column('text', { nullable: true })
  question!: string | null;

  @Column('text', { nullable: true })
  strategy!: string | null;

  @Column('text', { nullable: true })
  connector!: string | null;

  @Column('text', { nullable: true })
  model!: string | null;

  @Column('boolean')
  stream!: boolean;

  @Column('text')
  status!: RunStatus;

  @Column('text', { name: 'finish_reason', nullable: true })
  finishReason!: string | null;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  @Column('double precision', { name: 'duration_ms', nullable: true })
  durationMs!: number | null;

  @Column('double precision', { name: 'prepared_ms', nullable: true })
  preparedMs!: number | null;

  @Column('double precision', { name: 'first_token_ms', nullable: true })
  firstTokenMs!: number | null;

  @Column('integer', { name: 'prompt_tokens', nullable: true })
  promptTokens!: number | null;

  @Column('integer', { name: 'completion_tokens', nullable: true })
  completionTokens!: number | null;

  @Column('integer', { name: 'total_tokens', nullable: true })
  totalTokens!: number | null;

  @Column('jsonb')
  tools!: readonly ToolTiming[];

  @Column('integer', { default: 0 })
  problems!: number;

  /** TypeORM reads `bigint` as text. */
  @Column('bigint', { name: 'cost_micros', nullable: true })
  costMicros!: string | null;

  @Column('jsonb')
  sources!: readonly Source[];

  @Column('jsonb', { default: [] })
  passages!: readonly SourcePassage[];

  /** Empty for background runs, whose events are in `run_events`. `json` keeps the bytes of each event; `jsonb` sorts. */
  @Column('json')
  events!: readonly StampedRunEvent[];

  /** Stored without its sources, which are the first of `sources`. */
  @Column('jsonb', { nullable: true })
  report!: Omit<ShapedReport, 'sources'> | null;

  @Column('boolean', { default: false })
  background!: boolean;

  /** The process that executes the run. Only this process may write the row. */
  @Column('uuid', { name: 'worker_id', nullable: true })
  workerId!: string | null;

  @Column('timestamptz', { name: 'heartbeat_at', nullable: true })
  heartbeatAt!: Date | null;

  @Column('timestamptz', { name: 'cancel_requested_at', nullable: true })
  cancelRequestedAt!: Date | null;

  @Column('text', { name: 'cancel_reason', nullable: true })
  cancelReason!: string | null;

  @Column('jsonb', { nullable: true })
  plan!: PlanSummary | null;

  /** True for a definition that was not saved. */
  @Column('boolean', { default: false })
  draft!: boolean;

  /** Time at which the contents were deleted. */
  @Column('timestamptz', { name: 'pruned_at', nullable: true })
  prunedAt!: Date | null;

  /** The asker's rating. */
  @Column('text', { nullable: true })
  rating!: RatingValue | null;

  @Column('text', { name: 'rating_reason', nullable: true })
  ratingReason!: string | null;

  /** JSON text of what the run was asked and told, for replays. Null in old runs and after the contents were deleted. */
  @Column('text', { nullable: true, select: false })
  recording?: string | null;

  /** JSON text of the signed receipt; null in old runs. */
  @Column('text', { nullable: true, select: false })
  receipt?: string | null;

  @Column('jsonb', { nullable: true })
  replay!: RunReplay | null;

  /** The segment with the line of the ended run. Null before its end, in rows of earlier releases, and after an erasure. */
  @Column('uuid', { name: 'segment_id', nullable: true })
  segmentId!: string | null;

  /** From 0. */
  @Column('integer', { name: 'segment_position', nullable: true })
  segmentPosition!: number | null;
}

/**
 * Lines of runs that ended together, with their seal. A segment holds the runs of one organization, asked from one other
 * organization or from none, so that its row is readable for exactly the readers of their rows.
 */
@Entity('run_segments')
@Index('run_segments_organization_idx', ['organizationId', 'id'])
export class RunSegmentEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'caller_organization_id', nullable: true })
  callerOrganizationId!: string | null;

  /** Deflated lines; null when none is left. */
  @Column('bytea', { nullable: true })
  body!: Buffer | null;

  @Column('integer')
  count!: number;

  /** The writer; each process begins a chain of its own. */
  @Column('uuid')
  chain!: string;

  /** Counts the segments of one organization in the chain, from 0. */
  @Column('integer')
  number!: number;

  @Column('text')
  root!: string;

  @Column('text', { name: 'previous_root', nullable: true })
  previousRoot!: string | null;

  /** Null when the key could not be read. */
  @Column('text', { nullable: true })
  signature!: string | null;

  @Column('text', { name: 'key_id', nullable: true })
  keyId!: string | null;

  @Column('timestamptz', { name: 'sealed_at' })
  sealedAt!: Date;
}

/** Columns as `run-sql.ts` needs them. */
export const RUN_COLUMNS = getMetadataArgsStorage()
  .columns.filter(({ target }) => target === RunEntity)
  .map(({ propertyName, options }) => ({
    property: propertyName as keyof RunEntity,
    name: options.name ?? propertyName,
    type: String(options.type),
  }));

import { RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsISO8601, IsUUID, Max, Min } from 'class-validator';
import { MayBeOmitted } from '../../infrastructure/http';
import { ReplayRunDto } from '../replays/replay.dto';
import { RunReplayDto } from '../run.dto';
import { MOST_RUNS } from './what-if.service';

export class StartReplaysDto extends ReplayRunDto {
  /** Runs to repeat; without it the newest ones that match. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_RUNS)
  @IsUUID(undefined, { each: true })
  @ApiPropertyOptional({ type: [String], format: 'uuid' })
  run_ids?: string[];

  /** Only runs of this assistant. */
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  @ApiPropertyOptional({ type: 'integer' })
  assistant_id?: number;

  /** Only runs that began at this time or later. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiPropertyOptional({ format: 'date-time' })
  from?: string;

  /** Only runs that began before this time. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiPropertyOptional({ format: 'date-time' })
  to?: string;

  /** At most this many, the newest. */
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(MOST_RUNS)
  @ApiPropertyOptional({ type: 'integer', example: 50 })
  last?: number;
}

export class ReplayItemsQueryDto {
  /** Position of the first one, from 0. */
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MOST_RUNS)
  @ApiPropertyOptional({ type: 'integer' })
  from?: number;

  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(50)
  @ApiPropertyOptional({ type: 'integer', default: 20 })
  limit?: number;
}

export class ReplayTotalsDto {
  @ApiProperty({ type: 'integer' })
  runs!: number;
  @ApiProperty({ type: 'integer' })
  failed!: number;
  duration_ms!: number;
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Millionths of the organization's currency. */
  cost_micros!: number;
}

export class ReplayDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: ['running', 'completed', 'cancelled'] })
  status!: string;
  @ApiProperty({ enum: ['recorded', 'fresh'] })
  mode!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  changes!: object;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ format: 'date-time', type: String, nullable: true })
  finished_at!: string | null;
  /** Runs to repeat. */
  @ApiProperty({ type: 'integer' })
  total!: number;
}

export class ComparisonDto extends ReplayDto {
  /** Repetitions that have ended or were refused. */
  @ApiProperty({ type: 'integer' })
  done!: number;
  /** Totals of the runs whose repetition has ended. */
  before!: ReplayTotalsDto;
  /** Totals of these repetitions. */
  after!: ReplayTotalsDto;
}

export class ReplayPageDto {
  items!: ReplayDto[];
  next_cursor!: string | null;
  total!: number;
}

export class ComparedRunDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  strategy!: string | null;
  connector!: string | null;
  model!: string | null;
  error_code!: string | null;
  duration_ms!: number | null;
  prompt_tokens!: number | null;
  completion_tokens!: number | null;
  cost_micros!: number | null;
  /** Null when it is not kept. */
  answer!: string | null;
  @ApiProperty({ type: 'integer' })
  passages!: number;
  @ApiProperty({ type: RunReplayDto, nullable: true })
  replay!: RunReplayDto | null;
}

export class PassageDifferenceDto {
  /** Passages that both found. */
  @ApiProperty({ type: 'integer' })
  kept!: number;
  /** Titles of passages that only the repetition found. */
  @ApiProperty({ type: [String] })
  added!: string[];
  /** Titles of passages that only the run found. */
  @ApiProperty({ type: [String] })
  removed!: string[];
}

export class ReplayRefusalDto {
  code!: string;
  detail!: string;
  reason!: string | null;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  errors!: object[];
}

/** Two runs; null when one is deleted or out of the reader's reach. */
export class ComparedSidesDto {
  @ApiProperty({ type: ComparedRunDto, nullable: true })
  before!: ComparedRunDto | null;
  @ApiProperty({ type: ComparedRunDto, nullable: true })
  after!: ComparedRunDto | null;
  /** Null before the later one has ended. */
  @ApiProperty({ type: PassageDifferenceDto, nullable: true })
  passages!: PassageDifferenceDto | null;
  /** Whether both answers have the same text; null when one is unknown. */
  same_answer!: boolean | null;
}

export class ComparedItemDto extends ComparedSidesDto {
  @ApiProperty({ format: 'uuid' })
  run_id!: string;
  @ApiProperty({ format: 'uuid', type: String, nullable: true })
  replay_run_id!: string | null;
  question!: string | null;
  /** Why the run could not be repeated. */
  @ApiProperty({ type: ReplayRefusalDto, nullable: true })
  refusal!: ReplayRefusalDto | null;
}

export class ComparedItemsDto {
  items!: ComparedItemDto[];
  /** Position of the next one; null at the end. */
  @ApiProperty({ type: 'integer', nullable: true })
  next!: number | null;
}

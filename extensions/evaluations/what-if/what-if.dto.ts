import { RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsISO8601, IsUUID } from 'class-validator';
import { Fraction, MayBeOmitted, Between, QueryBetween, Id, Moment, PageOf } from '../../../src/infrastructure/http';
import { ReplayRunDto } from '../replays/replay.dto';
import { RunReplayDto } from '../../../src/runs-api';
import { MOST_RUNS } from './what-if.service';

export class StartReplaysDto extends ReplayRunDto {
  /** Runs to repeat; without it the newest ones that match. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_RUNS)
  @IsUUID(undefined, { each: true })
  run_ids?: string[];

  /** Only runs of this assistant. */
  @MayBeOmitted() @Between(1, 2_147_483_647) assistant_id?: number;

  /** Only runs that began at this time or later. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiProperty({ format: 'date-time' })
  from?: string;

  /** Only runs that began before this time. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiProperty({ format: 'date-time' })
  to?: string;

  /** At most this many, the newest. */
  @MayBeOmitted() @Between(1, MOST_RUNS, { example: 50 }) last?: number;
}

export class ReplayItemsQueryDto {
  /** Position of the first one, from 0. */
  @MayBeOmitted() @QueryBetween(0, MOST_RUNS) from?: number;

  @MayBeOmitted() @QueryBetween(1, 50, { default: 20 }) limit?: number;
}

export class ReplayTotalsDto {
  runs!: number;
  failed!: number;
  @Fraction() duration_ms!: number;
  prompt_tokens!: number;
  completion_tokens!: number;
  /** Millionths of the organization's currency. */
  cost_micros!: number;
}

export class ReplayDto {
  @Id() id!: string;
  @ApiProperty({ enum: ['running', 'completed', 'cancelled'] })
  status!: string;
  @ApiProperty({ enum: ['recorded', 'fresh'] })
  mode!: string;
  @ApiProperty({ additionalProperties: true })
  changes!: object;
  @Moment() created_at!: string;
  @Moment() finished_at!: string | null;
  /** Runs to repeat. */
  total!: number;
}

export class ComparisonDto extends ReplayDto {
  /** Repetitions that have ended or were refused. */
  done!: number;
  /** Totals of the runs whose repetition has ended. */
  before!: ReplayTotalsDto;
  /** Totals of these repetitions. */
  after!: ReplayTotalsDto;
}

export class ReplayPageDto extends PageOf(ReplayDto) {}

export class ComparedRunDto {
  @Id() id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  strategy!: string | null;
  connector!: string | null;
  model!: string | null;
  error_code!: string | null;
  @Fraction() duration_ms!: number | null;
  prompt_tokens!: number | null;
  completion_tokens!: number | null;
  cost_micros!: number | null;
  /** Null when it is not kept. */
  answer!: string | null;
  passages!: number;
  replay!: RunReplayDto | null;
}

export class PassageDifferenceDto {
  /** Passages that both found. */
  kept!: number;
  /** Titles of passages that only the repetition found. */
  added!: string[];
  /** Titles of passages that only the run found. */
  removed!: string[];
}

export class ReplayRefusalDto {
  code!: string;
  detail!: string;
  reason!: string | null;
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  errors!: object[];
}

/** Two runs; null when one is deleted or out of the reader's reach. */
export class ComparedSidesDto {
  before!: ComparedRunDto | null;
  after!: ComparedRunDto | null;
  /** Null before the later one has ended. */
  passages!: PassageDifferenceDto | null;
  /** Whether both answers have the same text; null when one is unknown. */
  same_answer!: boolean | null;
}

export class ComparedItemDto extends ComparedSidesDto {
  @Id() run_id!: string;
  @Id() replay_run_id!: string | null;
  question!: string | null;
  /** Why the run could not be repeated. */
  refusal!: ReplayRefusalDto | null;
}

export class ComparedItemsDto {
  items!: ComparedItemDto[];
  /** Position of the next one; null at the end. */
  next!: number | null;
}

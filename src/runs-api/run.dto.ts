import { LANGUAGE_BRIDGES, type LanguageBridge, RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsISO8601, IsString, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { MayBeOmitted, PageQueryDto } from '../infrastructure/http';
import { RATING_VALUES, type RatingValue } from '../runs';

export class RunQueryDto extends PageQueryDto {
  /** Only runs of this assistant. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  assistant_id?: number;

  /** Only runs in this state. */
  @MayBeOmitted()
  @IsIn(RUN_STATUSES)
  @ApiProperty({ enum: RUN_STATUSES, required: false })
  status?: RunStatus;

  /** `true`: only runs with failed tools or functions. `false`: only runs without. */
  @MayBeOmitted()
  @IsIn(['true', 'false'])
  @ApiProperty({ enum: ['true', 'false'], required: false })
  problems?: 'true' | 'false';

  /** Only runs that began at this time or later. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiProperty({ format: 'date-time', required: false })
  from?: string;

  /** Only runs that began before this time. */
  @MayBeOmitted()
  @IsISO8601({ strict: true })
  @ApiProperty({ format: 'date-time', required: false })
  to?: string;

  /** Only runs of this person. Finds no runs of people whom the reader sees as pseudonyms. */
  @MayBeOmitted()
  @IsUUID()
  @ApiProperty({ format: 'uuid', required: false })
  user_id?: string;

  /** Only runs with this rating by their asker. */
  @MayBeOmitted()
  @IsIn(RATING_VALUES)
  @ApiProperty({ enum: RATING_VALUES, required: false })
  rating?: RatingValue;

  /** Only runs whose question has this text in its first 120 characters, in any case. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(200)
  @ApiPropertyOptional()
  q?: string;
}

export class RunEventsQueryDto {
  /** `seq` of the last event that the client has. Later events are sent. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  after?: number;
}

export class RunPassageDto {
  /** Number of the source in the answer, `[n]`. */
  @ApiProperty({ type: 'integer', nullable: true })
  n!: number | null;
  /** Document and section. */
  title!: string;
  @ApiProperty({ example: 'The light reactions take place in the thylakoid membrane.' })
  text!: string;
  /** The source as in the answer (docs/reference/events.md). */
  @ApiProperty({ type: 'object', additionalProperties: true })
  source!: object;
}

export class RunPassagesDto {
  @ApiProperty({ type: [RunPassageDto] })
  items!: RunPassageDto[];
}

export class RunStateDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

export class DraftRunDto {
  @ApiProperty({ format: 'uuid' })
  run_id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

export class RunAssistantDto {
  /** 0 for a definition that is not stored. */
  id!: number;
  name!: string;
  @ApiProperty({ enum: ['classic', 'multi_tool'] })
  type!: string;
}

export class RunTimingsDto {
  /** From the request to the end. All timings are milliseconds of the monotonic clock. */
  total_ms!: number | null;
  /** Until the prompt was filled. */
  prepared_ms!: number | null;
  /** Until the first bytes of the model's answer. */
  first_token_ms!: number | null;
}

export class BoundedTryDto {
  /** Time limit of the try, in milliseconds. */
  after_ms!: number;
  /** Milliseconds of the longest of the last `tries` tries. */
  longest_ms!: number;
  tries!: number;
}

export class RunMatchDto {
  /** 0 to 1, whatever the length of the question. */
  @ApiProperty({ example: 0.82 })
  strength!: number;
  weak!: boolean;
}

export class RunLanguagesDto {
  /** Language of the question. */
  @ApiProperty({ example: 'es' })
  question!: string;
  /** Languages of the material. */
  @ApiProperty({ type: [String], example: ['en'] })
  material!: readonly string[];
  /** How the question was put into the language of the material; null when it was searched for in its own words. */
  @ApiProperty({ enum: LANGUAGE_BRIDGES, nullable: true })
  bridge!: LanguageBridge | null;
}

/** How a search understood the question, and how well the material fits it. */
export class RunSearchDto {
  @ApiProperty({ type: RunMatchDto, required: false })
  match?: RunMatchDto;
  /** The question with its typing errors corrected. */
  @ApiProperty({ required: false, example: 'isolation level' })
  searched_for?: string;
  /** Only when the question is in another language than the material. */
  @ApiProperty({ type: RunLanguagesDto, required: false })
  languages?: RunLanguagesDto;
}

export class RunToolDto {
  /** Position in the assistant's tools, from 0. */
  index!: number;
  plugin!: string;
  placeholder!: string | null;
  /** Name that the author gave the tool. */
  @ApiProperty({ required: false })
  label?: string;
  @ApiProperty({ enum: ['completed', 'failed', 'skipped'] })
  status!: string;
  duration_ms!: number | null;
  /** UTF-16 units of the result. */
  chars!: number | null;
  cached!: boolean;
  /** Tries after the first. */
  retries!: number;
  /** The last try that the learned time limit ended, so that another try had time left. */
  @ApiProperty({ type: BoundedTryDto, required: false })
  bounded?: BoundedTryDto;
  /** Why it failed. */
  code!: string | null;
  /** 0 to 1; null when the tool states none. */
  confidence!: number | null;
  /** The tool that answered instead. */
  @ApiProperty({ required: false })
  fallback?: string;
  /** Details of a search in knowledge bases. */
  @ApiProperty({ type: RunSearchDto, required: false })
  search?: RunSearchDto;
  /** Step of the plan; a tool may run in several steps. */
  @ApiProperty({ required: false })
  step?: string;
}

export class RunFunctionCallDto {
  /** Counts the calls of the run, from 0. */
  index!: number;
  /** Number of the model request that made the call, from 1. */
  round!: number;
  /** `unknown` for a name that the model made up. */
  name!: string;
  plugin!: string;
  @ApiProperty({ enum: ['completed', 'failed'] })
  status!: string;
  duration_ms!: number | null;
  /** UTF-16 units of its result. */
  chars!: number | null;
  /** True for a repeated call with the same arguments. */
  cached!: boolean;
  /** Why it failed. */
  code!: string | null;
}

export class RunUsageDto {
  prompt_tokens!: number;
  completion_tokens!: number;
  total_tokens!: number;
}

export class RateRunDto {
  @ApiProperty({ enum: RATING_VALUES })
  @IsIn(RATING_VALUES)
  value!: RatingValue;

  @MayBeOmitted()
  @IsString()
  @MaxLength(1_000)
  @ApiPropertyOptional({ example: 'The example is about another chapter.' })
  reason?: string;
}

export class RunRatingDto {
  @ApiProperty({ enum: RATING_VALUES })
  value!: RatingValue;
  @ApiProperty({ type: String, nullable: true })
  reason!: string | null;
}

export class RunPersonDto {
  /** Null where the organization shows pseudonyms. */
  @ApiProperty({ format: 'uuid', type: String, nullable: true })
  user_id!: string | null;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true })
  pseudonym!: string | null;
}

/** The run that another one repeats. */
export class RunReplayDto {
  @ApiProperty({ format: 'uuid' })
  of!: string;
  @ApiProperty({ enum: ['recorded', 'fresh'] })
  mode!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  changes!: object;
}

export class RunSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  assistant!: RunAssistantDto;
  /** The run that started this one; null for a client's run. */
  parent_run_id!: string | null;
  /** Organization of the asker, when it is not the assistant's organization, which pays. */
  caller_organization_id!: string | null;
  /** The asker; null where the reader sees a pseudonym. */
  @ApiProperty({ format: 'uuid', type: String, nullable: true })
  user_id!: string | null;
  /** The asker by name or pseudonym; null when the name is unknown. */
  @ApiProperty({ type: RunPersonDto, nullable: true })
  person!: RunPersonDto | null;
  /** Beginning of the question, at most 120 characters; null in old runs and after the contents were deleted. */
  question!: string | null;
  /** Version of the assistant that answered. */
  assistant_version!: number | null;
  /** Cost in millionths of the organization's currency; null before the end, for members without the role of a teacher, and where another organization pays. */
  cost_micros!: number | null;
  /** The asker's API key or session; null where the reader sees a pseudonym. */
  credential_id!: string | null;
  strategy!: string | null;
  connector!: string | null;
  model!: string | null;
  stream!: boolean;
  /** True for a run that no request waits for. */
  background!: boolean;
  /** True for a definition that was not saved (`POST /api/v1/runs`). */
  draft!: boolean;
  /** Null for a run that repeats no other. */
  @ApiProperty({ type: RunReplayDto, nullable: true })
  replay!: RunReplayDto | null;
  finish_reason!: string | null;
  /** Code of the failure (docs/reference/errors.md). */
  error_code!: string | null;
  /** Failed tools and functions without a fallback; a completed run may have some. */
  problems!: number;
  /** The asker's rating of the answer. */
  @ApiProperty({ type: RunRatingDto, nullable: true })
  rating!: RunRatingDto | null;
  created_at!: string;
  finished_at!: string | null;
  timings!: RunTimingsDto;
  tools!: RunToolDto[];
  /** Functions that the model called, in order. */
  functions!: RunFunctionCallDto[];
  usage!: RunUsageDto | null;
}

/** A run of a called assistant. Editors of that assistant find its details under its id. */
export class NestedRunDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  assistant!: RunAssistantDto;
  created_at!: string;
  finished_at!: string | null;
  total_ms!: number | null;
  usage!: RunUsageDto | null;
}

/** The model vendor's answer when it failed. */
export class VendorFailureDto {
  /** HTTP status; null without an answer. */
  status!: number | null;
  /** The vendor's own words, cut and without credentials. */
  message!: string | null;
  /** The vendor's id of the request. */
  request_id!: string | null;
  /** Tries after the first. */
  retries!: number;
}

export class RunDto extends RunSummaryDto {
  /** `X-Request-Id` of the request that asked: the service's logs have it. Null without one, and in old runs. */
  request_id!: string | null;
  /** The model's text so far in a background run; null in other runs. */
  answer!: string | null;
  /** Plan of the strategy `planned`, with its reasoning. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  plan!: object | null;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  sources!: object[];
  /** Events without deltas; only for editors of the assistant. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, required: false })
  events?: object[];
  /** The failed answer of the model vendor; for the same readers as `events`. */
  @ApiProperty({ type: VendorFailureDto, required: false })
  vendor_failure?: VendorFailureDto;
  /** Runs of called assistants, oldest first; for the same readers as `events`. */
  @ApiProperty({ type: [NestedRunDto], required: false })
  runs?: NestedRunDto[];
}

export class RunPageDto {
  /** The runs; none, although another page follows, where a search has not found any yet: see `looked_back_to`. */
  items!: RunSummaryDto[];
  next_cursor!: string | null;
  /**
   * A search of questions (`q`) looks at 20,000 runs a page. It has looked at the runs since this time, and the next page
   * goes on with older ones; null otherwise.
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  looked_back_to!: string | null;
  /** Counted to 1,001, which means more than a thousand. */
  total!: number;
}

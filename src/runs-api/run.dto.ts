import { LANGUAGE_BRIDGES, type LanguageBridge, RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, IsUUID } from 'class-validator';
import { MayBeOmitted, PageQueryDto, QueryBetween, OneOf, Text, Id, Moment, Fraction } from '../infrastructure/http';
import { RATING_VALUES, type RatingValue } from '../runs';

export class RunQueryDto extends PageQueryDto {
  /** Only runs of this assistant. */
  @MayBeOmitted() @QueryBetween(1, 2_147_483_647) assistant_id?: number;

  /** Only runs in this state. */
  @MayBeOmitted() @OneOf(RUN_STATUSES) status?: RunStatus;

  /** `true`: only runs with failed tools or functions. `false`: only runs without. */
  @MayBeOmitted() @OneOf(['true', 'false']) problems?: 'true' | 'false';

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

  /** Only runs of this person. Finds no runs of people whom the reader sees as pseudonyms. */
  @MayBeOmitted()
  @IsUUID()
  user_id?: string;

  /** Only runs with this rating by their asker. */
  @MayBeOmitted() @OneOf(RATING_VALUES) rating?: RatingValue;

  /** Only runs whose question has this text in its first 120 characters, in any case. */
  @MayBeOmitted() @Text(200) q?: string;
}

export class RunEventsQueryDto {
  /** `seq` of the last event that the client has. Later events are sent. */
  @MayBeOmitted() @QueryBetween(0, 2_147_483_647) after?: number;
}

export class RunPassageDto {
  /** Number of the source in the answer, `[n]`. */
  n!: number | null;
  /** Document and section. */
  title!: string;
  @ApiProperty({ example: 'The light reactions take place in the thylakoid membrane.' })
  text!: string;
  /** The source as in the answer (docs/reference/events.md). */
  @ApiProperty({ additionalProperties: true })
  source!: object;
}

export class RunPassagesDto {
  items!: RunPassageDto[];
}

export class RunStateDto {
  @Id() id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

export class DraftRunDto {
  @Id() run_id!: string;
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
  @Fraction() total_ms!: number | null;
  /** Until the prompt was filled. */
  @Fraction() prepared_ms!: number | null;
  /** Until the first bytes of the model's answer. */
  @Fraction() first_token_ms!: number | null;
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
  @Fraction({ example: 0.82 }) strength!: number;
  weak!: boolean;
}

export class RunLanguagesDto {
  /** Language of the question. */
  @ApiProperty({ example: 'es' })
  question!: string;
  /** Languages of the material. */
  @ApiProperty({ example: ['en'] })
  material!: readonly string[];
  /** How the question was put into the language of the material; null when it was searched for in its own words. */
  @ApiProperty({ enum: LANGUAGE_BRIDGES })
  bridge!: LanguageBridge | null;
}

/** How a search understood the question, and how well the material fits it. */
export class RunSearchDto {
  match?: RunMatchDto;
  /** The question with its typing errors corrected. */
  @ApiProperty({ example: 'isolation level' })
  searched_for?: string;
  /** Only when the question is in another language than the material. */
  languages?: RunLanguagesDto;
}

export class RunToolDto {
  /** Position in the assistant's tools, from 0. */
  index!: number;
  plugin!: string;
  placeholder!: string | null;
  /** Name that the author gave the tool. */
  label?: string;
  @ApiProperty({ enum: ['completed', 'failed', 'skipped'] })
  status!: string;
  @Fraction() duration_ms!: number | null;
  /** UTF-16 units of the result. */
  chars!: number | null;
  cached!: boolean;
  /** Tries after the first. */
  retries!: number;
  /** The last try that the learned time limit ended, so that another try had time left. */
  bounded?: BoundedTryDto;
  /** Why it failed. */
  code!: string | null;
  /** 0 to 1; null when the tool states none. */
  @Fraction() confidence!: number | null;
  /** The tool that answered instead. */
  fallback?: string;
  /** Details of a search in knowledge bases. */
  search?: RunSearchDto;
  /** Step of the plan; a tool may run in several steps. */
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
  @Fraction() duration_ms!: number | null;
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
  @OneOf(RATING_VALUES) value!: RatingValue;

  @MayBeOmitted() @Text(1_000, { example: 'The example is about another chapter.' }) reason?: string;
}

export class RunRatingDto {
  @ApiProperty({ enum: RATING_VALUES })
  value!: RatingValue;
  reason!: string | null;
}

export class RunPersonDto {
  /** Null where the organization shows pseudonyms. */
  @Id() user_id!: string | null;
  name!: string | null;
  pseudonym!: string | null;
}

/** The run that another one repeats. */
export class RunReplayDto {
  @Id() of!: string;
  @ApiProperty({ enum: ['recorded', 'fresh'] })
  mode!: string;
  @ApiProperty({ additionalProperties: true })
  changes!: object;
}

export class RunSummaryDto {
  @Id() id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  assistant!: RunAssistantDto;
  /** The run that started this one; null for a client's run. */
  parent_run_id!: string | null;
  /** Organization of the asker, when it is not the assistant's organization, which pays. */
  caller_organization_id!: string | null;
  /** The asker; null where the reader sees a pseudonym. */
  @Id() user_id!: string | null;
  /** The asker by name or pseudonym; null when the name is unknown. */
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
  replay!: RunReplayDto | null;
  finish_reason!: string | null;
  /** Code of the failure (docs/reference/errors.md). */
  error_code!: string | null;
  /** Failed tools and functions without a fallback; a completed run may have some. */
  problems!: number;
  /** The asker's rating of the answer. */
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
  @Id() id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  assistant!: RunAssistantDto;
  created_at!: string;
  finished_at!: string | null;
  @Fraction() total_ms!: number | null;
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
  @ApiProperty({ additionalProperties: true })
  plan!: object | null;
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  sources!: object[];
  /** Events without deltas; only for editors of the assistant. */
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  events?: object[];
  /** The failed answer of the model vendor; for the same readers as `events`. */
  vendor_failure?: VendorFailureDto;
  /** Runs of called assistants, oldest first; for the same readers as `events`. */
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
  @Moment() looked_back_to!: string | null;
  /** Counted to 1,001, which means more than a thousand. */
  total!: number;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { RUN_STATUSES, type RunStatus } from '../kernel';
import { MayBeOmitted, PageQueryDto } from '../platform/http';

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
}

export class RunEventsQueryDto {
  /** `seq` of the last event that the client has; what came after it is sent. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  after?: number;
}

export class RunStateDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

export class RunAssistantDto {
  id!: number;
  name!: string;
  @ApiProperty({ enum: ['classic', 'multi_tool'] })
  type!: string;
}

export class RunTimingsDto {
  /** From the request to the end; milliseconds by the monotonic clock, as all of these. */
  total_ms!: number | null;
  /** Until all tools had ended and the prompt was filled. */
  prepared_ms!: number | null;
  /** Until the first bytes of the answer came from the model. */
  first_token_ms!: number | null;
}

export class BoundedTryDto {
  /** Milliseconds that the try was given. */
  after_ms!: number;
  /** Milliseconds of the longest of the last `tries` tries. */
  longest_ms!: number;
  tries!: number;
}

export class RunToolDto {
  /** Position in the assistant's tools, from 0. */
  index!: number;
  plugin!: string;
  placeholder!: string | null;
  @ApiProperty({ enum: ['completed', 'failed', 'skipped'] })
  status!: string;
  duration_ms!: number | null;
  /** UTF-16 units of what the tool returned. */
  chars!: number | null;
  cached!: boolean;
  /** Tries after the first, whether it completed or failed. */
  retries!: number;
  /** The last try that history ended before its time: then a second one had time left. */
  @ApiProperty({ type: BoundedTryDto, required: false })
  bounded?: BoundedTryDto;
  /** Why it failed. */
  code!: string | null;
  /** 0 to 1, where the tool states one. */
  confidence!: number | null;
  /** The tool that answered in its place. */
  @ApiProperty({ required: false })
  fallback?: string;
  /** Step of the plan: one tool may have several. */
  @ApiProperty({ required: false })
  step?: string;
}

export class RunFunctionCallDto {
  /** Counts the calls of the run, from 0. */
  index!: number;
  /** Model request of the run that asked for it, from 1. */
  round!: number;
  /** `unknown` for a name that the model made up. */
  name!: string;
  plugin!: string;
  @ApiProperty({ enum: ['completed', 'failed'] })
  status!: string;
  duration_ms!: number | null;
  /** UTF-16 units of its result. */
  chars!: number | null;
  /** True for a call that was made before with the same arguments. */
  cached!: boolean;
  /** Why it failed. */
  code!: string | null;
}

export class RunUsageDto {
  prompt_tokens!: number;
  completion_tokens!: number;
  total_tokens!: number;
}

export class RunSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
  assistant!: RunAssistantDto;
  /** The run on whose behalf it ran; null for one that a client asked for. */
  parent_run_id!: string | null;
  /** Where the question came from, when that is not the organization that the assistant is of and that pays. */
  caller_organization_id!: string | null;
  /** Who asked. */
  user_id!: string;
  /** The API key or session they asked with. */
  credential_id!: string | null;
  strategy!: string | null;
  connector!: string | null;
  model!: string | null;
  stream!: boolean;
  /** Started by itself instead of answering a request. */
  background!: boolean;
  finish_reason!: string | null;
  /** Code of the failure (docs/reference/errors.md). */
  error_code!: string | null;
  /** Tools and functions that failed with no other answering in their place; a completed run may have some. */
  problems!: number;
  created_at!: string;
  finished_at!: string | null;
  timings!: RunTimingsDto;
  tools!: RunToolDto[];
  /** Functions that the model called, in order. */
  functions!: RunFunctionCallDto[];
  usage!: RunUsageDto | null;
}

/** A run of an assistant that the run called. Whoever may edit that assistant finds the whole of it under its id. */
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
  /** HTTP status; null when there was no answer. */
  status!: number | null;
  /** The vendor's own words, cut and without credentials. */
  message!: string | null;
  /** The vendor's id of the request. */
  request_id!: string | null;
  /** Tries after the first. */
  retries!: number;
}

export class RunDto extends RunSummaryDto {
  /** What the model has said so far in a background run; null in others, whose answer went to who asked. */
  answer!: string | null;
  /** What the strategy `planned` decided to run, and why. */
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  plan!: object | null;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  sources!: object[];
  /** What happened, without deltas; only for those who may edit the assistant. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, required: false })
  events?: object[];
  /** The model vendor's answer when it failed; for the same readers as `events`. */
  @ApiProperty({ type: VendorFailureDto, required: false })
  vendor_failure?: VendorFailureDto;
  /** Runs of assistants that this one called, oldest first; as `events`. */
  @ApiProperty({ type: [NestedRunDto], required: false })
  runs?: NestedRunDto[];
}

export class RunPageDto {
  items!: RunSummaryDto[];
  next_cursor!: string | null;
  total!: number;
}

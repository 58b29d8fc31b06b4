import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ASSISTANT_TYPES,
  type AssistantType,
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  PLACEHOLDER_STATES,
  type PlaceholderState,
  SEVERITIES,
  type Severity,
} from '../definition';
import type { JsonObject } from '../kernel';
import { ACCESS_LEVELS, type AccessLevel } from './assistant.types';
import { VERSION_REASONS, type VersionReason } from './storage/assistant-version.entity';

/** Half-open range in UTF-16 code units. */
export class TextRangeDto {
  start!: number;
  end!: number;
}

export class DiagnosticDto {
  @ApiProperty({ enum: SEVERITIES })
  severity!: Severity;
  @ApiProperty({ enum: DIAGNOSTIC_CODES })
  code!: DiagnosticCode;
  message!: string;
  /** JSON path in the request. */
  @ApiProperty({ example: 'metadata.tools[1].placeholder' })
  path!: string;
  range?: TextRangeDto;
}

export class PlaceholderStateDto {
  @ApiProperty({ example: '1_context' })
  name!: string;
  @ApiProperty({ enum: PLACEHOLDER_STATES })
  state!: PlaceholderState['state'];
  /** Position of its tool in `metadata.tools`. */
  tool_index?: number;
}

export class ValidationDto {
  /** No diagnostic is an error. */
  valid!: boolean;
  @ApiProperty({ type: [DiagnosticDto] })
  diagnostics!: DiagnosticDto[];
  @ApiProperty({ type: [PlaceholderStateDto] })
  placeholders!: PlaceholderStateDto[];
}

export class AssistantOwnerDto {
  id!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
}

export class AssistantOrganizationDto {
  id!: string;
  slug!: string;
}

/** What whoever may use an assistant sees of it; from `system_prompt` on only for those who may edit it. */
export class AssistantDto {
  @ApiProperty({ example: 12 })
  id!: number;
  @ApiProperty({ enum: ASSISTANT_TYPES })
  type!: AssistantType;
  name!: string;
  description!: string;
  owner!: AssistantOwnerDto;
  organization!: AssistantOrganizationDto;
  published!: boolean;
  /** By a system administrator: assistants of other organizations may call it where both organizations allow that. */
  published_to_all!: boolean;
  /** Switched off: nobody runs it. */
  disabled!: boolean;
  /** Counts definitions from 1; also the `ETag`. */
  version!: number;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ format: 'date-time' })
  updated_at!: string;
  @ApiProperty({ enum: ACCESS_LEVELS })
  access!: AccessLevel;
  system_prompt?: string;
  prompt_template?: string;
  /** As stored. docs/reference/metadata.md */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  metadata?: JsonObject;
  @ApiPropertyOptional({ type: [String] })
  RAG_collections?: string[];
  RAG_Top_k?: number;
  @ApiPropertyOptional({ type: [DiagnosticDto] })
  diagnostics?: DiagnosticDto[];
}

export class AssistantPageDto {
  @ApiProperty({ type: [AssistantDto] })
  items!: AssistantDto[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
  total!: number;
}

export class ShareViewDto {
  user_id!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
  @ApiProperty({ enum: ['use', 'edit'] })
  access!: 'use' | 'edit';
}

export class SharesDto {
  @ApiProperty({ type: [ShareViewDto] })
  shares!: ShareViewDto[];
}

export class VersionDto {
  version!: number;
  name!: string;
  @ApiProperty({ enum: ASSISTANT_TYPES })
  type!: AssistantType;
  @ApiProperty({ enum: VERSION_REASONS })
  reason!: VersionReason;
  /** null when the service itself wrote it. */
  @ApiProperty({ type: String, nullable: true })
  author_id!: string | null;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
}

export class VersionPageDto {
  @ApiProperty({ type: [VersionDto] })
  items!: VersionDto[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
  total!: number;
}

export class VersionDetailDto extends VersionDto {
  description!: string;
  system_prompt!: string;
  prompt_template!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  metadata!: JsonObject;
  @ApiProperty({ type: [String] })
  RAG_collections!: string[];
  RAG_Top_k!: number;
}

export class DroppedDto {
  path!: string;
  reason!: string;
}

export class FieldChangeDto {
  @ApiProperty({ example: 'prompt_template' })
  path!: string;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  from!: string | number;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  to!: string | number;
}

export class AssistantToolStatsDto {
  plugin!: string;
  @ApiProperty({ type: String, nullable: true })
  placeholder!: string | null;
  calls!: number;
  failures!: number;
  /** Milliseconds; null when it never finished a call. */
  @ApiProperty({ type: Number, nullable: true })
  avg_ms!: number | null;
  @ApiProperty({ type: Number, nullable: true })
  p95_ms!: number | null;
}

export class TokenStatsDto {
  prompt!: number;
  completion!: number;
  total!: number;
}

/** Figures over all runs of an assistant. */
export class AssistantStatsDto {
  runs!: number;
  failures!: number;
  /** Milliseconds; null while nothing has run. */
  @ApiProperty({ type: Number, nullable: true })
  p50_ms!: number | null;
  @ApiProperty({ type: Number, nullable: true })
  p95_ms!: number | null;
  @ApiProperty({ type: [AssistantToolStatsDto] })
  tools!: AssistantToolStatsDto[];
  tokens!: TokenStatsDto;
}

/** What an import would do. */
export class ImportPlanDto {
  dry_run!: boolean;
  @ApiProperty({ enum: ['create', 'update'] })
  action!: 'create' | 'update';
  @ApiProperty({ type: [FieldChangeDto] })
  diff!: FieldChangeDto[];
  /** Ids, owners and references that are left behind. */
  @ApiProperty({ type: [DroppedDto] })
  dropped!: DroppedDto[];
  @ApiProperty({ type: [DiagnosticDto] })
  diagnostics!: DiagnosticDto[];
}

/** The assistant, and what was left behind. */
export class ImportedAssistantDto extends AssistantDto {
  @ApiProperty({ type: [DroppedDto] })
  dropped!: DroppedDto[];
}

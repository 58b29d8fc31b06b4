import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { ASSISTANT_TYPES, type AssistantType, STORED_METADATA } from './definition';
import { PageOf, Moment, Fraction } from '../infrastructure/http';
import { VERSION_REASONS, type VersionReason } from './storage/assistant-version.entity';

export class VersionAuthorDto {
  id!: string;
  name!: string | null;
  email!: string | null;
}

export class VersionDto {
  version!: number;
  name!: string;
  @ApiProperty({ enum: ASSISTANT_TYPES })
  type!: AssistantType;
  @ApiProperty({ enum: VERSION_REASONS })
  reason!: VersionReason;
  /** null when the service itself wrote it. */
  author_id!: string | null;
  /** null when the service itself wrote it, or its author is no longer a member. */
  author!: VersionAuthorDto | null;
  /** Whether people run this version now. */
  live!: boolean;
  @Moment() created_at!: string;
}

export class VersionPageDto extends PageOf(VersionDto) {}

export class VersionDetailDto extends VersionDto {
  description!: string;
  system_prompt!: string;
  prompt_template!: string;
  @ApiProperty(STORED_METADATA)
  metadata!: JsonObject;
  RAG_collections!: string[];
  RAG_Top_k!: number;
}

export class AssistantToolStatsDto {
  plugin!: string;
  placeholder!: string | null;
  calls!: number;
  failures!: number;
  /** Milliseconds; null when it never finished a call. */
  @Fraction() avg_ms!: number | null;
  @Fraction() p95_ms!: number | null;
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
  @Fraction() p50_ms!: number | null;
  @Fraction() p95_ms!: number | null;
  tools!: AssistantToolStatsDto[];
  tokens!: TokenStatsDto;
}

import type { JsonObject } from '@bellwether/kernel';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { Between, MayBeOmitted, Moment, OneOf, PageOf, PageQueryDto, Text } from '../../infrastructure/http';
import { ACCESS_LEVELS, type AccessLevel } from '../access/assistant.types';
import { CreateAssistantDto, DiagnosticDto } from '../checks/validation.dto';
import { ASSISTANT_TYPES, type AssistantType, STORED_METADATA } from '../definition';

export class UpdateAssistantDto extends PartialType(CreateAssistantDto, { skipNullProperties: false }) {}

export class AssistantQueryDto extends PageQueryDto {
  @MayBeOmitted() @OneOf(ASSISTANT_TYPES) type?: AssistantType;

  /** Part of the name or the description. */
  @MayBeOmitted() @Text(200) q?: string;

  /** `me`: only the caller's own. */
  @MayBeOmitted() @OneOf(['me']) owner?: 'me';
}

export class PublicationDto {
  /** The version to make live; the newest when absent. */
  @MayBeOmitted() @Between(1, 2_147_483_647) version?: number | null;

  /**
   * Why it is published although its tests do not pass. For those who may override the gate; the audit log keeps it. Has
   * no effect where the tests pass or need not.
   */
  @ApiProperty({ example: 'The exam begins at noon; the failing test is outdated' })
  @MayBeOmitted()
  @IsString()
  @Matches(/\S/, { message: 'must not be empty' })
  @MaxLength(500)
  override_tests?: string | null;
}

export class AssistantOwnerDto {
  id!: string;
  email!: string | null;
  name!: string | null;
}

export class AssistantOrganizationDto {
  id!: string;
  slug!: string;
}

/** The members from `system_prompt` on are only there for people who may edit the assistant. */
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
  /** The version that people run; null unless it is published. */
  live_version!: number | null;
  /** Whether the newest version has changes that are not live; only people who may edit see them. */
  changed_since_live!: boolean;
  /**
   * True when a system administrator published it: assistants of other organizations may call it where both
   * organizations allow that.
   */
  published_to_all!: boolean;
  /** Switched off: nobody runs it. */
  disabled!: boolean;
  /** Counts definitions from 1; also the `ETag`. */
  version!: number;
  @Moment() created_at!: string;
  @Moment() updated_at!: string;
  @ApiProperty({ enum: ACCESS_LEVELS })
  access!: AccessLevel;
  system_prompt?: string;
  prompt_template?: string;
  @ApiProperty({ ...STORED_METADATA, required: false })
  metadata?: JsonObject;
  RAG_collections?: string[];
  RAG_Top_k?: number;
  diagnostics?: DiagnosticDto[];
}

export class AssistantPageDto extends PageOf(AssistantDto) {
  /** Counted to 1,001, which means more than a thousand. */
  override total!: number;
}

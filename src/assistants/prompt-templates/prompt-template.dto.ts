import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { ASSISTANT_TYPES, type AssistantType } from '../definition';
import { IsName, MayBeOmitted, PageOf, PageQueryDto } from '../../infrastructure/http';

const MAX_PROMPT = 400_000;

class PromptsDto {
  @MayBeOmitted()
  @IsString()
  @MaxLength(5_000)
  description?: string;

  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  system_prompt?: string;

  @ApiPropertyOptional({ example: 'Material:{context}Question:{user_input}' })
  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  prompt_template?: string;

  /** The type of assistant that its slots fit; `classic` when absent. */
  @ApiPropertyOptional({ enum: ASSISTANT_TYPES })
  @MayBeOmitted()
  @IsIn(ASSISTANT_TYPES)
  type?: AssistantType;
}

export class CreatePromptTemplateDto extends PromptsDto {
  @IsName({ example: 'Course questions' })
  name!: string;
}

export class UpdatePromptTemplateDto extends PartialType(CreatePromptTemplateDto, { skipNullProperties: false }) {}

export class SharePromptTemplateDto {
  /** Readable by every member of the organization, or by the owner only. */
  @IsBoolean()
  shared!: boolean;
}

export class PromptTemplateQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: ASSISTANT_TYPES })
  @MayBeOmitted()
  @IsIn(ASSISTANT_TYPES)
  type?: AssistantType;

  /** Part of the name or the description. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(200)
  q?: string;

  @ApiPropertyOptional({ enum: ['me'] })
  @MayBeOmitted()
  @IsIn(['me'])
  owner?: 'me';
}

export class PromptTemplateDto {
  /** A UUID, or the name of a built-in starter. */
  id!: string;
  @ApiProperty({ enum: ASSISTANT_TYPES })
  type!: AssistantType;
  name!: string;
  description!: string;
  system_prompt!: string;
  prompt_template!: string;
  shared!: boolean;
  /** A starter: to be duplicated, never changed. */
  builtin!: boolean;
  owner_id!: string | null;
  /** Counts what its owner changed, sharing included; always 1 for a starter. */
  version!: number;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  created_at!: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  updated_at!: string | null;
}

export class PromptTemplatePageDto extends PageOf(PromptTemplateDto) {}

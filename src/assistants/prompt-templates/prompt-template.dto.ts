import { ApiProperty, PartialType } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { ASSISTANT_TYPES, type AssistantType } from '../definition';
import { IsName, MayBeOmitted, PageOf, PageQueryDto, Text, OneOf, Moment } from '../../infrastructure/http';

const MAX_PROMPT = 400_000;

class PromptsDto {
  @MayBeOmitted() @Text(5_000) description?: string;

  @MayBeOmitted() @Text(MAX_PROMPT) system_prompt?: string;

  @MayBeOmitted() @Text(MAX_PROMPT, { example: 'Material:{context}Question:{user_input}' }) prompt_template?: string;

  /** The type of assistant that its slots fit; `classic` when absent. */
  @MayBeOmitted() @OneOf(ASSISTANT_TYPES) type?: AssistantType;
}

export class CreatePromptTemplateDto extends PromptsDto {
  @IsName({ example: 'Course questions' }) name!: string;
}

export class UpdatePromptTemplateDto extends PartialType(CreatePromptTemplateDto, { skipNullProperties: false }) {}

export class SharePromptTemplateDto {
  /** Readable by every member of the organization, or by the owner only. */
  @IsBoolean()
  shared!: boolean;
}

export class PromptTemplateQueryDto extends PageQueryDto {
  @MayBeOmitted() @OneOf(ASSISTANT_TYPES) type?: AssistantType;

  /** Part of the name or the description. */
  @MayBeOmitted() @Text(200) q?: string;

  @MayBeOmitted() @OneOf(['me']) owner?: 'me';
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
  @Moment() created_at!: string | null;
  @Moment() updated_at!: string | null;
}

export class PromptTemplatePageDto extends PageOf(PromptTemplateDto) {}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBooleanString,
  IsEmail,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ASSISTANT_TYPES, type AssistantType } from '../definition';
import { assertHouseJson, IsPlainName, MayBeOmitted, PageQueryDto } from '../platform/http';

/** Longest prompt or template, in UTF-16 units. */
const MAX_PROMPT = 400_000;
const MAX_COLLECTION = 200;
const METADATA_EXAMPLE = {
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'auto',
  tools: [
    { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: ['biology'], top_k: 3 } },
  ],
};

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

/** The value as it stood in the body: the transformer's copy loses keys such as `constructor`. */
const asSent = ({ obj, key }: { obj: Record<string, unknown>; key: string }): unknown => obj[key];

/** A JSON text is judged as a body is, before anybody parses it. */
const metadataAsSent = (sent: { obj: Record<string, unknown>; key: string }): unknown => {
  const value = asSent(sent);
  if (typeof value === 'string') assertHouseJson(value, 'metadata');
  return value;
};

const isCollection = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_COLLECTION && !value.includes(',');

/** A comma string or a list of ids without commas. */
const IsCollections = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'isCollections',
    target: target.constructor,
    propertyName: String(propertyName),
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' ? value.length <= 5_000 : Array.isArray(value) && value.every(isCollection),
      defaultMessage: () => 'RAG_collections must be a list of ids, or one string with commas between them',
    },
  });

class DefinitionDto {
  @MayBeOmitted()
  @IsString()
  @MaxLength(5_000)
  description?: string;

  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  system_prompt?: string;

  @ApiPropertyOptional({ example: 'Course text: {1_context}\n\nQuestion: {user_input}' })
  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  prompt_template?: string;

  /** An object, or a JSON string that holds one. Unknown keys are kept. docs/reference/metadata.md */
  @ApiPropertyOptional({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
    example: METADATA_EXAMPLE,
  })
  @Allow()
  @Transform(metadataAsSent)
  metadata?: unknown;

  /** Knowledge bases of a classic assistant. */
  @ApiPropertyOptional({ oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] })
  @MayBeOmitted()
  @IsCollections()
  RAG_collections?: string | string[];

  /** Passages that a classic assistant retrieves. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(100)
  RAG_Top_k?: number;
}

export class UpdateAssistantDto extends DefinitionDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 200, example: 'Essay feedback' })
  @ValidateIf((_, value) => value !== undefined)
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name?: string;
}

export class CreateAssistantDto extends DefinitionDto {
  @ApiProperty({ minLength: 1, maxLength: 200, example: 'Essay feedback' })
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name!: string;
}

export class DuplicateAssistantDto {
  /** Name of the copy; "Copy of …" without it. */
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  @IsPlainName()
  name?: string;
}

export class AssistantQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: ASSISTANT_TYPES })
  @MayBeOmitted()
  @IsIn(ASSISTANT_TYPES)
  type?: AssistantType;

  /** Part of the name or the description. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(200)
  q?: string;

  /** `me`: only the caller's own. */
  @ApiPropertyOptional({ enum: ['me'] })
  @MayBeOmitted()
  @IsIn(['me'])
  owner?: 'me';
}

export class ValidateDefinitionDto {
  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  template?: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }],
    example: METADATA_EXAMPLE,
  })
  @Allow()
  @Transform(metadataAsSent)
  metadata?: unknown;

  @ApiPropertyOptional({ oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] })
  @MayBeOmitted()
  @IsCollections()
  RAG_collections?: string | string[];
}

export class ShareDto {
  @ApiPropertyOptional({ example: 'ada@example.edu' })
  @ValidateIf(({ user_id }: ShareDto) => user_id === undefined)
  @IsEmail({ require_tld: false })
  @MaxLength(254)
  email?: string;

  @MayBeOmitted()
  @IsUUID()
  user_id?: string;

  @ApiPropertyOptional({ enum: ['use', 'edit'], default: 'use' })
  @MayBeOmitted()
  @IsIn(['use', 'edit'])
  access?: 'use' | 'edit';
}

export class ReplaceSharesDto {
  /** Everybody it is to be shared with; whoever is missing loses access. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  @Type(() => ShareDto)
  shares?: ShareDto[];

  /** LAMB's form of the same list: everyone may use it. */
  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(500)
  @IsEmail({ require_tld: false }, { each: true })
  user_emails?: string[];
}

export class ImportQueryDto {
  /** Only tells what would change. */
  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @MayBeOmitted()
  @IsBooleanString()
  dry_run?: string;

  /** Id of an assistant to overwrite with a new version; without it a new assistant is made. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  into?: number;
}

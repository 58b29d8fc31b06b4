import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Allow, IsInt, Min, registerDecorator } from 'class-validator';
import { Between, IsName, MayBeOmitted, NAMED_VALUES, Text, assertHouseJson } from '../../infrastructure/http';
import {
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  type DiagnosticValues,
  METADATA_SCHEMA,
  PLACEHOLDER_STATES,
  type PlaceholderState,
  SEVERITIES,
  type Severity,
  refTo,
} from '../definition';

/** Longest prompt or template, in UTF-16 units. */
const MAX_PROMPT = 400_000;
const MAX_COLLECTION = 200;

/** The value of the body itself: the transformer's copy loses keys such as `constructor`. A JSON text is checked as a body is. */
function metadataAsSent({ obj, key }: { obj: Record<string, unknown>; key: string }): unknown {
  const value = obj[key];
  if (typeof value === 'string') assertHouseJson(value, 'metadata');
  return value;
}

const isCollection = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_COLLECTION && !value.includes(',');

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
  @MayBeOmitted() @Text(5_000) description?: string;

  @MayBeOmitted() @Text(MAX_PROMPT) system_prompt?: string;

  /** A multi-tool assistant without one gets the automatic template: each tool's slot under its label, then the question. */
  @MayBeOmitted()
  @Text(MAX_PROMPT, { example: 'Course text: {1_context}\n\nQuestion: {user_input}' })
  prompt_template?: string;

  /** An object, or a JSON string that holds one. Unknown keys are kept. */
  @ApiPropertyOptional({ anyOf: [refTo(METADATA_SCHEMA), { type: 'string' }] })
  @Allow()
  @Transform(metadataAsSent)
  metadata?: unknown;

  /** Knowledge bases of a classic assistant. */
  @ApiPropertyOptional({ oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] })
  @MayBeOmitted()
  @IsCollections()
  RAG_collections?: string | string[];

  /** Passages that a classic assistant retrieves. */
  @MayBeOmitted() @Between(1, 100) RAG_Top_k?: number;
}

export class CreateAssistantDto extends DefinitionDto {
  @IsName({ example: 'Essay feedback' }) name!: string;
}

export class ValidateDefinitionDto extends PickType(CreateAssistantDto, ['metadata', 'RAG_collections']) {
  @MayBeOmitted() @Text(MAX_PROMPT) template?: string;

  /** The stored assistant that this is an edit of: checked with its owner's access, which it runs with. */
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  assistant_id?: number;
}

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
  /** Names and limits in `message`; `reason` is the code of a more exact text. */
  @ApiProperty({
    ...NAMED_VALUES,
    example: { reason: 'value.maximum', limit: 50 },
  })
  values?: DiagnosticValues;
}

export class PlaceholderStateDto {
  @ApiProperty({ example: '1_context' })
  name!: string;
  @ApiProperty({ enum: PLACEHOLDER_STATES })
  state!: PlaceholderState['state'];
  /** Position of its tool in `metadata.tools`. */
  tool_index?: number;
}

export const MATERIALS = ['knowledge_base', 'rubric', 'file'] as const;
export type MaterialType = (typeof MATERIALS)[number];

export class AssistantMaterialDto {
  @ApiProperty({ enum: MATERIALS })
  type!: MaterialType;
  /** Reference as written in the definition: an id, a slug, the number of an import, or a path. */
  reference!: string;
  name!: string;
  /** Name of the person whose access counts: the owner of the assistant. */
  owner!: string | null;
}

export class ValidationDto {
  /** No diagnostic is an error. */
  valid!: boolean;
  diagnostics!: DiagnosticDto[];
  placeholders!: PlaceholderStateDto[];
  /** Material that the stored assistant uses and the caller cannot open; empty for its owner, and without `assistant_id`. */
  material!: AssistantMaterialDto[];
}

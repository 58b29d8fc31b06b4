import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsInt, Min } from 'class-validator';
import {
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  type DiagnosticValues,
  PLACEHOLDER_STATES,
  type PlaceholderState,
  SEVERITIES,
  type Severity,
} from '../definition';
import { MayBeOmitted, Text } from '../../infrastructure/http';
import { CreateAssistantDto, MAX_PROMPT } from './definition.dto';

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
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }] },
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

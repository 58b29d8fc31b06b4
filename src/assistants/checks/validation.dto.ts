import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import {
  DIAGNOSTIC_CODES,
  type DiagnosticCode,
  type DiagnosticValues,
  PLACEHOLDER_STATES,
  type PlaceholderState,
  SEVERITIES,
  type Severity,
} from '../../definition';
import { MayBeOmitted } from '../../platform/http';
import { CreateAssistantDto, MAX_PROMPT } from './definition.dto';

export class ValidateDefinitionDto extends PickType(CreateAssistantDto, ['metadata', 'RAG_collections']) {
  @MayBeOmitted()
  @IsString()
  @MaxLength(MAX_PROMPT)
  template?: string;
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
  @ApiPropertyOptional({
    type: 'object',
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

export class ValidationDto {
  /** No diagnostic is an error. */
  valid!: boolean;
  diagnostics!: DiagnosticDto[];
  placeholders!: PlaceholderStateDto[];
}

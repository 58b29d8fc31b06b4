import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsPositive } from 'class-validator';
import { MayBeOmitted, Trimmed, FilledText, Text } from '../../../src/infrastructure/http';

export class AssistantTrialDto {
  @ApiProperty({ type: 'integer', example: 12 })
  @IsInt()
  @IsPositive()
  assistant_id!: number;

  @Trimmed() @FilledText(8_000, { example: 'Solve exercise 3 for me.' }) question!: string;

  /** Instruction of an assessment window to be tried; absent for an answer as usual. */
  @MayBeOmitted()
  @Trimmed()
  @Text(4_000, { example: 'Give hints and questions only, never a solution.' })
  instruction?: string;
}

export class AssistantTrialAnswerDto {
  answer!: string;
  @ApiProperty({ items: { type: 'object', additionalProperties: true } })
  sources!: object[];
}

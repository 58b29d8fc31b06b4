import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsNotEmpty, IsPositive, IsString, MaxLength } from 'class-validator';
import { MayBeOmitted } from '../../../src/infrastructure/http';

const trim = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? value.trim() : value);

export class AssistantTrialDto {
  @ApiProperty({ type: 'integer', example: 12 })
  @IsInt()
  @IsPositive()
  assistant_id!: number;

  @ApiProperty({ example: 'Solve exercise 3 for me.' })
  @Transform(trim)
  @IsString()
  @IsNotEmpty()
  @MaxLength(8_000)
  question!: string;

  /** Instruction of an assessment window to be tried; absent for an answer as usual. */
  @ApiProperty({ required: false, example: 'Give hints and questions only, never a solution.' })
  @MayBeOmitted()
  @Transform(trim)
  @IsString()
  @MaxLength(4_000)
  instruction?: string;
}

export class AssistantTrialAnswerDto {
  answer!: string;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  sources!: object[];
}

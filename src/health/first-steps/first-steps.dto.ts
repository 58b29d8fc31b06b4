import { ApiProperty } from '@nestjs/swagger';
import { IsIn, ValidateIf } from 'class-validator';

export const STEPS = ['model', 'material', 'assistant', 'ask', 'publish'] as const;
export type StepName = (typeof STEPS)[number];

export class FirstStepDto {
  @ApiProperty({ enum: STEPS })
  name!: StepName;

  done!: boolean;
}

export class FirstStepsDto {
  /** False: answers are quotations from the material. */
  model_connected!: boolean;

  /** Names of people who can connect a model; empty when one is connected, or when the caller can. */
  @ApiProperty({ type: [String] })
  administrators!: string[];

  /** Null once the checklist is done or dismissed, and for members who make no assistants. */
  @ApiProperty({ type: [FirstStepDto], nullable: true })
  steps!: FirstStepDto[] | null;
}

export class AnswerFirstStepsDto {
  /** Goes on without a model. */
  @ApiProperty({ enum: [true], required: false })
  @ValidateIf((_body, value) => value !== undefined)
  @IsIn([true])
  quotations?: true;

  /** Dismisses the checklist. */
  @ApiProperty({ enum: [true], required: false })
  @ValidateIf((_body, value) => value !== undefined)
  @IsIn([true])
  closed?: true;
}

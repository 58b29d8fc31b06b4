import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { OneOf } from '../../infrastructure/http';

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
  administrators!: string[];

  /** Null once the checklist is done or dismissed, and for members who make no assistants. */
  steps!: FirstStepDto[] | null;
}

export class AnswerFirstStepsDto {
  /** Goes on without a model. */
  @ValidateIf((_body, value) => value !== undefined)
  @OneOf([true])
  quotations?: true;

  /** Dismisses the checklist. */
  @ValidateIf((_body, value) => value !== undefined)
  @OneOf([true])
  closed?: true;
}

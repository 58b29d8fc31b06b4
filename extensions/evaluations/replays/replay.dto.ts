import { RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Validate, ValidateNested, ValidatorConstraint } from 'class-validator';
import { MayBeOmitted, Text, Between, OneOf, Flag, Id } from '../../../src/infrastructure/http';
import { areToolChanges, type ToolChange } from './replay-definition';

export const REPLAY_MODES = ['recorded', 'fresh'] as const;

@ValidatorConstraint({ name: 'areToolChanges' })
class AreToolChanges {
  validate(value: unknown): boolean {
    return areToolChanges(value);
  }

  defaultMessage(): string {
    return '$property must hold objects by placeholder, with `enabled`, the object `config` and the list of names `unset`';
  }
}

export class ReplayChangesDto {
  /** Strategy of a multi-tool assistant. */
  @MayBeOmitted() @Text(64, { example: 'planned' }) orchestrator?: string;

  @MayBeOmitted() @Text(64, { example: 'openai' }) connector?: string;

  /** Model; empty for the connector's default. */
  @MayBeOmitted() @Text(256, { example: 'gpt-4o-mini' }) llm?: string;

  /** Saved version of the assistant. */
  @MayBeOmitted() @Between(1, 2_147_483_647) version?: number;

  /**
   * Changes by placeholder: `enabled`, members of `config` that replace those of the definition, and names of members
   * to `unset`.
   */
  @MayBeOmitted()
  @Validate(AreToolChanges)
  @ApiProperty({
    additionalProperties: { type: 'object', additionalProperties: true },
    example: { '1_context': { config: { top_k: 5 }, unset: ['mode'] } },
  })
  tools?: Record<string, ToolChange>;
}

export class ReplayRunDto {
  /** `recorded`: the recorded results of tools, no tool is asked. `fresh`: everything runs again. */
  @OneOf(REPLAY_MODES) mode!: (typeof REPLAY_MODES)[number];

  /** Differences from the repeated run. With recorded results only the model can differ. */
  @MayBeOmitted()
  @ValidateNested()
  @Type(() => ReplayChangesDto)
  changes?: ReplayChangesDto;

  /** Repeats the run without the tools whose content no longer exists. */
  @Flag() leave_out_missing?: boolean;
}

export class ReplayedRunDto {
  @Id() run_id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

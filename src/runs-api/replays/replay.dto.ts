import { RUN_STATUSES, type RunStatus } from '@bellwether/kernel';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  Validate,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import { MayBeOmitted } from '../../infrastructure/http';
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
  @MayBeOmitted()
  @IsString()
  @MaxLength(64)
  @ApiPropertyOptional({ example: 'planned' })
  orchestrator?: string;

  @MayBeOmitted()
  @IsString()
  @MaxLength(64)
  @ApiPropertyOptional({ example: 'openai' })
  connector?: string;

  /** Model; empty for the connector's default. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(256)
  @ApiPropertyOptional({ example: 'gpt-4o-mini' })
  llm?: string;

  /** Saved version of the assistant. */
  @ApiPropertyOptional({ type: 'integer' })
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  version?: number;

  /**
   * Changes by placeholder: `enabled`, members of `config` that replace those of the definition, and names of members
   * to `unset`.
   */
  @MayBeOmitted()
  @Validate(AreToolChanges)
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: true },
    example: { '1_context': { config: { top_k: 5 }, unset: ['mode'] } },
  })
  tools?: Record<string, ToolChange>;
}

export class ReplayRunDto {
  /** `recorded`: the recorded results of tools, no tool is asked. `fresh`: everything runs again. */
  @IsIn(REPLAY_MODES)
  @ApiProperty({ enum: REPLAY_MODES })
  mode!: (typeof REPLAY_MODES)[number];

  /** Differences from the repeated run. With recorded results only the model can differ. */
  @MayBeOmitted()
  @ValidateNested()
  @Type(() => ReplayChangesDto)
  @ApiPropertyOptional({ type: ReplayChangesDto })
  changes?: ReplayChangesDto;

  /** Repeats the run without the tools whose content no longer exists. */
  @MayBeOmitted()
  @IsBoolean()
  @ApiPropertyOptional()
  leave_out_missing?: boolean;
}

export class ReplayedRunDto {
  @ApiProperty({ format: 'uuid' })
  run_id!: string;
  @ApiProperty({ enum: RUN_STATUSES })
  status!: RunStatus;
}

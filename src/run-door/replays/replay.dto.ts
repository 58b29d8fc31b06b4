import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { RUN_STATUSES, type RunStatus } from '../../kernel';
import { MayBeOmitted } from '../../platform/http';
import type { ToolChange } from './replay-definition';

export const REPLAY_MODES = ['recorded', 'fresh'] as const;

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

  /** By placeholder: `enabled`, and members of `config` that replace those of the definition. */
  @MayBeOmitted()
  @IsObject()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: true },
    example: { '1_context': { config: { top_k: 5 } } },
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

import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { MayBeOmitted, OneOf, QueryBetween, Id } from '../../../src/infrastructure/http';
import { TEST_STATES } from '../test-runs/test-result.entity';
import { GATE_OVERRIDES, type GateOverride } from './publication-gate.entity';

export class GateSettingsDto {
  /** Whether a version is published only when its tests pass on it. */
  @IsBoolean()
  required!: boolean;

  /** The right to publish in spite of failing tests: administrators only, or the owner of the assistant, too. */
  @OneOf(GATE_OVERRIDES) override!: GateOverride;
}

export class GateQueryDto {
  /** The version to publish; the newest when absent. */
  @MayBeOmitted() @QueryBetween(1, 2_147_483_647) version?: number;
}

export class GateTestDto {
  @Id() id!: string;
  name!: string;
  /** `not_run`: no result on this version, or the test was changed since. */
  @ApiProperty({ enum: [...TEST_STATES, 'not_run'] })
  state!: string;
}

export class GateDto extends GateSettingsDto {
  /** The organization demands it of every assistant, whatever `required` says. Its own rule for overrides applies then. */
  by_organization!: boolean;
  /** Whether the caller may publish although tests do not pass. */
  may_override!: boolean;
  version!: number;
  /** Whether every test passes on this version; false without a test. */
  passes!: boolean;
  tests!: GateTestDto[];
}

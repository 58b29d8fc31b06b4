import { ApiProperty } from '@nestjs/swagger';
import { NAMED_VALUES } from '../infrastructure/http';
import { HEALTH_STATES, type HealthState } from '../infrastructure/findings';

export class LivenessDto {
  status!: 'ok';
}

export class ReadinessDto {
  status!: 'ready' | 'not_ready';
  /** One entry per thing that serving needs: `ok`, or what is wrong. */
  checks!: Record<string, string>;
}

export class FindingDto {
  /** Stable; the part before the dot names the check. */
  @ApiProperty({ example: 'clock.off' })
  code!: string;

  @ApiProperty({ enum: HEALTH_STATES })
  state!: HealthState;

  /** English text. Programs word `code` and `values` in the reader's language. */
  text!: string;

  /** The next step, in English; null where there is nothing to do. */
  next!: string | null;

  /** Values in the text, by name. */
  @ApiProperty(NAMED_VALUES)
  values!: Record<string, string | number>;

  /** Slug of the organization that it concerns; null for the whole installation. */
  organization!: string | null;
}

export class HealthReportDto {
  /** The worst state of the findings. */
  @ApiProperty({ enum: HEALTH_STATES })
  state!: HealthState;

  /** ISO 8601. */
  checked_at!: string;

  /** Worst first. */
  findings!: FindingDto[];
}

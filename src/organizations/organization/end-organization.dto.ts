import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 365;

export class EndOrganizationDto {
  /** Days in which the organization can be restored. */
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MOST_DAYS)
  grace_days: number = DEFAULT_DAYS;
}

import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeOmitted, PageQueryDto } from '../../platform/http';
import {
  ITEM_STATUSES,
  type ItemStatus,
  NEWEST_VERSION,
  TARGET_VERSIONS,
  type TargetVersion,
} from '../batches/batch.types';

export class StartMigrationDto {
  /** Only tells what would be done. */
  @MayBeOmitted()
  @IsBoolean()
  dry_run: boolean = false;

  /** Slug of the organization; the caller's own when absent, every one for system administrators. */
  @MayBeOmitted()
  @IsString()
  @MaxLength(100)
  org?: string;

  /** Version of the metadata to go to; the newest when absent. */
  @MayBeOmitted()
  @IsIn(TARGET_VERSIONS)
  @ApiProperty({ enum: TARGET_VERSIONS, required: false })
  to: TargetVersion = NEWEST_VERSION;
}

export class StartRollbackDto {
  /** Only this assistant; the whole batch when absent. */
  @MayBeOmitted()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  assistant_id?: number;

  /** Also where something was saved after the batch; what was saved stays in the version history. */
  @MayBeOmitted()
  @IsBoolean()
  force: boolean = false;
}

export class BatchItemsQueryDto extends PageQueryDto {
  /** Only these items; all when absent. */
  @MayBeOmitted()
  @IsIn(ITEM_STATUSES)
  @ApiProperty({ enum: ITEM_STATUSES, required: false })
  status?: ItemStatus;
}

import { Flag, MayBeOmitted, PageQueryDto, Text, OneOf, Between } from '../infrastructure/http';
import {
  ITEM_STATUSES,
  type ItemStatus,
  NEWEST_VERSION,
  TARGET_VERSIONS,
  type TargetVersion,
} from './batches/batch.types';

export class StartMigrationDto {
  /** Only plans, and writes nothing. */
  @Flag() dry_run: boolean = false;

  /** Slug of the organization; the caller's own when absent, every one for system administrators. */
  @MayBeOmitted() @Text(100) org?: string;

  /** Target version of the metadata; the newest when absent. */
  @MayBeOmitted() @OneOf(TARGET_VERSIONS, { required: false }) to: TargetVersion = NEWEST_VERSION;
}

export class StartRollbackDto {
  /** Only this assistant; the whole batch when absent. */
  @MayBeOmitted() @Between(1, 2_147_483_647) assistant_id?: number;

  /** Also rolls back assistants that were saved since; the version history keeps what was saved. */
  @Flag() force: boolean = false;
}

export class BatchItemsQueryDto extends PageQueryDto {
  /** Only these items; all when absent. */
  @MayBeOmitted() @OneOf(ITEM_STATUSES) status?: ItemStatus;
}

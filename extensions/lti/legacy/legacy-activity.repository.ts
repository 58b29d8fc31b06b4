import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TableImport } from '../../../src/infrastructure/database';
import type { ActivitySettings } from '../courses/activity.entity';
import type { LaunchMessage } from '../launch-claims';
import { LegacyActivityEntity } from './legacy-activity.entity';
import { legacyClaimIn } from './legacy-links.service';

export type ImportedActivity = Omit<LegacyActivityEntity, 'id' | 'organizationId'>;

/** Imports activities of another installation. */
@Injectable()
export class ActivityImport extends TableImport<LegacyActivityEntity, ImportedActivity> {
  constructor() {
    super({
      entity: LegacyActivityEntity,
      idColumn: 'id',
      keyColumns: ['resourceLinkId'],
      toRow: (value) => ({ ...value, assistantIds: [...value.assistantIds] }),
      toValue: ({ resourceLinkId, contextId, title, assistantIds, teachersRead }) => ({
        resourceLinkId,
        contextId,
        title,
        assistantIds,
        teachersRead,
      }),
    });
  }
}

export interface FoundActivity {
  readonly title: string;
  readonly assistantIds: readonly number[];
  readonly settings: Partial<ActivitySettings>;
}

/** Finds the imported activity of a link. */
@Injectable()
export class LegacyActivities {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Activity by the old identifier of the link, else by its present one. An activity of another course does not count.
   */
  async find(organizationId: string, message: LaunchMessage): Promise<FoundActivity | null> {
    const { resourceLinkId, contextId } = legacyClaimIn(message, '');
    if (resourceLinkId === null) return null;
    const found = await this.dataSource
      .getRepository(LegacyActivityEntity)
      .findOneBy({ organizationId, resourceLinkId });
    if (found === null) return null;
    if (contextId !== null && found.contextId !== null && found.contextId !== contextId) return null;
    const { title, assistantIds, teachersRead } = found;
    // LAMB shows conversations to teachers without names.
    return { title, assistantIds, settings: { teachersRead, anonymous: true } };
  }
}

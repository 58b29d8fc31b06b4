import { Injectable } from '@nestjs/common';
import { TableImport } from '../../../src/infrastructure/database';
import { LegacyActivityEntity } from './legacy-activity.entity';

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

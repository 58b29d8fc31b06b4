import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isJsonObject, type JsonObject } from '../../kernel';
import { TableImport } from '../../platform/database';
import type { LaunchMessage } from '../messages/launch-claims';
import { LegacyActivityEntity } from './legacy-activity.entity';

/** LTI 1.3 Core, Appendix: the identifiers that a link had in LTI 1.1. */
const LTI_1P1 = 'https://purl.imsglobal.org/spec/lti/claim/lti1p1';

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

/** Finds the imported activity of a link. */
@Injectable()
export class LegacyActivities {
  constructor(private readonly dataSource: DataSource) {}

  /** By the old identifier of the link, else by its present one. An activity of another course does not count. */
  async find(organizationId: string, { link, course, claims }: LaunchMessage): Promise<LegacyActivityEntity | null> {
    const resourceLinkId = oldLinkIn(claims) ?? link?.id;
    if (resourceLinkId === undefined) return null;
    const found = await this.dataSource
      .getRepository(LegacyActivityEntity)
      .findOneBy({ organizationId, resourceLinkId });
    const isElsewhere =
      found !== null && course !== null && found.contextId !== null && found.contextId !== course.contextId;
    return isElsewhere ? null : found;
  }
}

function oldLinkIn(claims: JsonObject): string | undefined {
  const old = claims[LTI_1P1];
  const id = isJsonObject(old) ? old['resource_link_id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

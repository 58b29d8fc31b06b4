import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../../src/infrastructure/database';
import type { FormerActivity, ImportedBefore } from '../launch/former-links.token';
import { guidOf, mayBeSame } from './bridge.types';
import { LegacyActivityEntity } from './legacy-activity.entity';

export interface LegacyLink {
  readonly organizationId: string;
  readonly bridgeId: string;
  readonly resourceLinkId: string;
  readonly contextId: string | null;
  readonly guid: string;
  /** Beginnings of the deployments where it may be. */
  readonly spaces: readonly string[];
}

/** A link of a platform, as a launch names it. */
export interface NewLink {
  readonly platformId: string;
  readonly deploymentId: string;
  readonly resourceLinkId: string;
  readonly contextId: string | null;
}

/** Activities of LTI 1.1, which launches of LTI 1.3 continue. */
@Injectable()
export class BridgedActivityRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The imported activity of a link. An activity of another course does not count. */
  async imported(
    organizationId: string,
    { resourceLinkId, contextId }: Pick<LegacyLink, 'contextId'> & { readonly resourceLinkId: string | null },
  ): Promise<ImportedBefore | null> {
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

  /** Null for none and for several. An activity of another course is none. */
  async find({
    organizationId,
    bridgeId,
    resourceLinkId,
    contextId,
    ...place
  }: LegacyLink): Promise<FormerActivity | null> {
    const found = await this.dataSource.query<(FormerActivity & { readonly deploymentId: string })[]>(
      `SELECT activity.id, activity.title, activity.course_id AS "courseId", activity.assistant_ids AS "assistantIds",
              activity.linked_assistants AS "linkedAssistants", activity.deployment_id AS "deploymentId"
         FROM lti_activities activity LEFT JOIN lti_courses course ON course.id = activity.course_id
        WHERE activity.organization_id = $1 AND activity.platform_id = $2 AND activity.resource_link_id = $3
          AND (course.id IS NULL OR $4::text IS NULL OR course.context_id = $4)`,
      [organizationId, bridgeId, resourceLinkId, contextId],
    );
    const [activity, another] = found.filter(({ deploymentId }) => isIn(deploymentId, place));
    return another === undefined ? (activity ?? null) : null;
  }

  /** Moves the activity with its settings, and its course with the group, to the place of a launch. */
  async move({ id, courseId }: FormerActivity, bridgeId: string, place: NewLink, tx: Transaction): Promise<void> {
    const { platformId, deploymentId, resourceLinkId, contextId } = place;
    if (contextId !== null) {
      await tx.query(
        `UPDATE lti_courses SET platform_id = $3, deployment_id = $4, context_id = $5, updated_at = now()
          WHERE id = $1 AND platform_id = $2 AND NOT EXISTS (
            SELECT FROM lti_courses WHERE platform_id = $3 AND deployment_id = $4 AND context_id = $5)`,
        [courseId, bridgeId, platformId, deploymentId, contextId],
      );
    }
    await tx.query(
      `UPDATE lti_activities SET platform_id = $3, deployment_id = $4, resource_link_id = $5, updated_at = now()
        WHERE id = $1 AND platform_id = $2 AND NOT EXISTS (
          SELECT FROM lti_activities WHERE platform_id = $3 AND deployment_id = $4 AND resource_link_id = $5)`,
      [id, bridgeId, platformId, deploymentId, resourceLinkId],
    );
  }
}

const isIn = (deployment: string, { spaces, guid }: Pick<LegacyLink, 'spaces' | 'guid'>): boolean =>
  spaces.some((space) => {
    const other = guidOf(deployment, space);
    return other !== null && mayBeSame(guid, other);
  });

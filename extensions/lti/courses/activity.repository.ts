import { uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { VersionedScope, tenantRepository } from '../../../src/infrastructure/database';
import { ActivityEntity } from './activity.entity';

export type ActivityLink = Pick<ActivityEntity, 'platformId' | 'deploymentId' | 'resourceLinkId'>;

export type LaunchedActivity = ActivityLink &
  Pick<
    ActivityEntity,
    | 'courseId'
    | 'title'
    | 'assistantIds'
    | 'linkedAssistants'
    | 'lineItemsUrl'
    | 'lineItemUrl'
    | 'scoreScopes'
    | 'frameOrigin'
    | 'settings'
  >;

/** Activities of one course on its page. */
const MOST_OF_COURSE = 200;

export class ActivityScope extends VersionedScope<ActivityEntity> {
  ofLink({ platformId, deploymentId, resourceLinkId }: ActivityLink): Promise<ActivityEntity | null> {
    return this.rows.findOneBy(this.where({ platformId, deploymentId, resourceLinkId }));
  }

  /** Oldest first. */
  ofCourse(courseId: string): Promise<ActivityEntity[]> {
    return this.rows.find({ where: this.where({ courseId }), order: { id: 'ASC' }, take: MOST_OF_COURSE });
  }

  /** The id of the activity. A launch renews what the platform tells about it; settings stay. */
  async follow(activity: LaunchedActivity): Promise<string> {
    const [row] = await this.rows.query<[{ id: string }]>(
      `INSERT INTO lti_activities AS known
         (id, organization_id, platform_id, deployment_id, resource_link_id, course_id, title, assistant_ids,
          linked_assistants, line_items_url, line_item_url, score_scopes, frame_origin, settings)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       ON CONFLICT ON CONSTRAINT lti_activities_link_uq DO UPDATE
       SET course_id = coalesce(excluded.course_id, known.course_id), title = excluded.title,
           assistant_ids = excluded.assistant_ids, linked_assistants = coalesce(excluded.linked_assistants, known.linked_assistants),
           line_items_url = coalesce(excluded.line_items_url, known.line_items_url),
           line_item_url = coalesce(excluded.line_item_url, known.line_item_url),
           score_scopes = CASE WHEN excluded.score_scopes = '{}' THEN known.score_scopes ELSE excluded.score_scopes END,
           frame_origin = coalesce(excluded.frame_origin, known.frame_origin), updated_at = now()
       RETURNING id`,
      [
        uuidv7(),
        this.organizationId,
        activity.platformId,
        activity.deploymentId,
        activity.resourceLinkId,
        activity.courseId,
        activity.title,
        activity.assistantIds,
        activity.linkedAssistants,
        activity.lineItemsUrl,
        activity.lineItemUrl,
        activity.scoreScopes,
        activity.frameOrigin,
        JSON.stringify(activity.settings),
      ],
    );
    return row.id;
  }
}

@Injectable()
export class ActivityRepository extends tenantRepository(ActivityEntity, () => ActivityScope) {}

import type { ActivityEntity } from '../courses/activity.entity';

export const SCORE_SCOPE = 'https://purl.imsglobal.org/spec/lti-ags/scope/score';

/** Whether the platform takes grades for an activity: it names a column or the columns, and grants the scope. */
export const isGradable = ({
  lineItemUrl,
  lineItemsUrl,
  scoreScopes,
}: Pick<ActivityEntity, 'lineItemUrl' | 'lineItemsUrl' | 'scoreScopes'>): boolean =>
  (lineItemUrl !== null || lineItemsUrl !== null) && scoreScopes.includes(SCORE_SCOPE);

import type { Database } from 'node-sqlite3-wasm';
import { idIn, rowsOf, textIn } from './lti-rows';

/** An LTI 1.1 activity: a link of a course, and the assistants that its teacher chose. */
export interface LambActivity {
  readonly id: number;
  readonly organizationId: number;
  /** Of the learning platform; it stays the same when the tool is switched to LTI 1.3. */
  readonly resourceLinkId: string;
  readonly contextId: string | null;
  readonly title: string;
  /** Teachers may read conversations of students who agreed. */
  readonly chatVisible: boolean;
  /** Ids at the source, in the order in which they were added. */
  readonly assistantIds: readonly number[];
}

/** Activities that are in use and name an organization. Other types than chats have no counterpart here. */
export function readActivities(database: Database, prefix: string): readonly LambActivity[] {
  const chosen = new Map<number, number[]>();
  for (const row of rowsOf(database, `${prefix}lti_activity_assistants`)) {
    const [activity, assistant] = [idIn(row, 'activity_id'), idIn(row, 'assistant_id')];
    if (activity !== null && assistant !== null) chosen.set(activity, [...(chosen.get(activity) ?? []), assistant]);
  }
  const seen = new Set<string>();
  return rowsOf(database, `${prefix}lti_activities`).flatMap((row): LambActivity[] => {
    const [id, organizationId] = [idIn(row, 'id'), idIn(row, 'organization_id')];
    const resourceLinkId = textIn(row, 'resource_link_id');
    if (id === null || organizationId === null || resourceLinkId === null || seen.has(resourceLinkId)) return [];
    if (row['status'] !== undefined && row['status'] !== 'active') return [];
    if ((textIn(row, 'activity_type') ?? 'chat') !== 'chat') return [];
    seen.add(resourceLinkId);
    return [
      {
        id,
        organizationId,
        resourceLinkId,
        contextId: textIn(row, 'context_id'),
        title: (textIn(row, 'activity_name') ?? textIn(row, 'context_title') ?? '').trim(),
        chatVisible: row['chat_visibility_enabled'] === 1,
        assistantIds: [...new Set(chosen.get(id) ?? [])],
      },
    ];
  });
}

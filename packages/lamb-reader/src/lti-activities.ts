import { isStorableText } from '@bellwether/kernel';
import type { Database } from 'node-sqlite3-wasm';
import { quoted } from './source-rows';

/** A consumer key of LTI 1.1. */
export interface LambKey {
  readonly kind: 'activity' | 'assistant' | 'creator';
  readonly consumerKey: string;
  /** null where LAMB's environment has it. */
  readonly secret: string | null;
  /** Organization of kind `creator`; null for other kinds. */
  readonly organizationId: number | null;
  /** Assistant of kind `assistant`; null for other kinds. */
  readonly assistantId: number | null;
}

/** LTI 1.1 has no limit; longer ones are not accepted here. */
const MOST_TEXT = 255;

/** Keys that are in use: that of all activities, those of organizations, and the names of published assistants. */
export function readKeys(database: Database, prefix: string): readonly LambKey[] {
  const keys = (table: string, kind: LambKey['kind']): readonly LambKey[] =>
    rowsOf(database, prefix + table).flatMap((row): LambKey[] => {
      const consumerKey = textIn(row, 'oauth_consumer_key', MOST_TEXT);
      const secret = textIn(row, 'oauth_consumer_secret', MOST_TEXT);
      const organizationId = idIn(row, 'organization_id');
      if (consumerKey === null || row['enabled'] === 0) return [];
      if (kind === 'creator' && organizationId === null) return [];
      return [{ kind, consumerKey, secret, organizationId, assistantId: null }];
    });
  const names = rowsOf(database, `${prefix}assistant_publish`).flatMap((row): LambKey[] => {
    const assistantId = idIn(row, 'assistant_id');
    const consumerKey = textIn(row, 'oauth_consumer_name', MOST_TEXT);
    if (assistantId === null || consumerKey === null || consumerKey === 'null') return [];
    return [{ kind: 'assistant', consumerKey, secret: null, organizationId: null, assistantId }];
  });
  return [...keys('lti_global_config', 'activity'), ...keys('lti_creator_keys', 'creator'), ...names];
}

/** A user of LAMB whom it knew by the `user_id` of a learning platform. */
export interface LambLtiPerson {
  /** Primary key, with its table. */
  readonly id: string;
  /** Linked in an activity, or a teacher who came to work. */
  readonly entry: 'activity' | 'creator';
  readonly legacyUserId: string;
  /** Address at the learning platform, where it is known. */
  readonly email: string | null;
  readonly userId: number;
}

const MOST_ID = 255;

export function readLtiPeople(database: Database, prefix: string): readonly LambLtiPerson[] {
  const links = rowsOf(database, `${prefix}lti_identity_links`).flatMap((row): LambLtiPerson[] => {
    const [id, userId] = [idIn(row, 'id'), idIn(row, 'creator_user_id')];
    const legacyUserId = textIn(row, 'lms_user_id', MOST_ID);
    if (id === null || userId === null || legacyUserId === null) return [];
    const email = textIn(row, 'lms_email', MOST_ID)?.trim().toLowerCase() ?? null;
    return [{ id: `link ${id}`, entry: 'activity', legacyUserId, email, userId }];
  });
  const teachers = rowsOf(database, `${prefix}Creator_users`).flatMap((row): LambLtiPerson[] => {
    const userId = idIn(row, 'id');
    const legacyUserId = textIn(row, 'lti_user_id', MOST_ID);
    if (userId === null || legacyUserId === null) return [];
    return [{ id: `user ${userId}`, entry: 'creator', legacyUserId, email: null, userId }];
  });
  return [...links, ...teachers];
}

type Values = Readonly<Record<string, unknown>>;

const MAX_LENGTH = 1_000;

/** A table that is absent or damaged counts as empty: courses are no reason to refuse the import of everything else. */
function rowsOf(database: Database, table: string): readonly Values[] {
  try {
    return database.all(`SELECT * FROM ${quoted(table)} ORDER BY rowid`);
  } catch {
    return [];
  }
}

function idIn(row: Values, column: string): number | null {
  const value = row[column];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The text as it is: identifiers are compared with those of launches. */
function textIn(row: Values, column: string, maxLength = MAX_LENGTH): string | null {
  const value = row[column];
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) return null;
  return isStorableText(value) ? value : null;
}

/** An LTI 1.1 activity: a link of a course, and the assistants that its teacher chose. */
export interface LambActivity {
  readonly id: number;
  readonly organizationId: number;
  /** Id of the link at the learning platform; it stays the same when the tool is switched to LTI 1.3. */
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

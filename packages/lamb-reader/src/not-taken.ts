import type { Database } from 'node-sqlite3-wasm';
import { objectAt, valueAt } from './json-path';
import {
  type LambAssistant,
  type LambOrganization,
  type LambRubric,
  NOT_TAKEN,
  type NotTaken,
  type NotTakenKind,
} from './lamb-source.types';
import type { LambActivity, LambKey } from './lti-activities';
import { quoted } from './source-rows';

interface Counted {
  readonly kind: NotTakenKind;
  readonly table: string;
  readonly counts?: string;
  readonly where?: string;
}

const COUNTED: readonly Counted[] = [
  { kind: 'lti_activities', table: 'lti_activities' },
  { kind: 'lti_keys', table: 'lti_global_config' },
  { kind: 'lti_keys', table: 'lti_creator_keys' },
  { kind: 'lti_students', table: 'lti_users', counts: 'DISTINCT user_email' },
  { kind: 'lti_students', table: 'lti_activity_users', counts: 'DISTINCT user_email' },
  {
    kind: 'lti_teachers',
    table: 'Creator_users',
    where: `(auth_provider LIKE 'lti%' OR user_email LIKE '%@lamb-lti.local') AND coalesce(lti_user_id, '') = ''`,
  },
  { kind: 'chats', table: 'lamb_chats' },
  { kind: 'libraries', table: 'libraries' },
  { kind: 'test_scenarios', table: 'assistant_test_scenarios' },
  { kind: 'aac_sessions', table: 'aac_sessions' },
  { kind: 'rubric_parents', table: 'rubrics', where: `coalesce(parent_rubric_id, '') <> ''` },
];

interface Rows {
  readonly organizations: readonly LambOrganization[];
  readonly assistants: readonly LambAssistant[];
  readonly rubrics: readonly LambRubric[];
  /** Imported activities. */
  readonly activities: readonly LambActivity[];
  readonly keys: readonly LambKey[];
}

/** Counts parts that are not imported, without zeros. A table that is absent or damaged counts as empty. */
export function countNotTaken(database: Database, prefix: string, rows: Rows): NotTaken {
  const counts = new Map<NotTakenKind, number>();
  const add = (kind: NotTakenKind, count: number): void => void counts.set(kind, (counts.get(kind) ?? 0) + count);
  for (const { kind, table, counts: counted = '*', where = 'TRUE' } of COUNTED) {
    add(kind, countOf(database, `SELECT count(${counted}) AS n FROM ${quoted(prefix + table)} WHERE ${where}`));
  }
  add('lti_activities', -rows.activities.length);
  // Without activities nobody needs their key here.
  const isTaken = ({ kind }: LambKey): boolean =>
    kind === 'creator' || (kind === 'activity' && rows.activities.length > 0);
  add('lti_keys', -rows.keys.filter(isTaken).length);
  const has = (kind: NotTakenKind, holds: (organization: LambOrganization) => boolean): void =>
    add(kind, rows.organizations.filter(holds).length);
  has('signup_keys', ({ config }) => isText(valueAt(config, 'features', 'signup_key')));
  has('assistant_defaults', ({ config }) => Object.keys(objectAt(config, 'assistant_defaults')).length > 0);
  has('organization_limits', ({ config }) => Object.values(objectAt(config, 'limits', 'usage')).some(isLimit));
  add('assistant_quotas', rows.assistants.filter(hasQuota).length);
  add('rubric_showcases', rows.rubrics.filter(({ isShowcase }) => isShowcase).length);
  return Object.fromEntries(
    NOT_TAKEN.flatMap((kind) => {
      const count = counts.get(kind) ?? 0;
      return count > 0 ? [[kind, count]] : [];
    }),
  );
}

function countOf(database: Database, sql: string): number {
  try {
    const [row] = database.all(sql);
    return typeof row?.['n'] === 'number' ? row['n'] : 0;
  } catch {
    return 0;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isLimit = (value: unknown): boolean => typeof value === 'number' && value >= 0;

function hasQuota({ metadata, deleted }: LambAssistant): boolean {
  if (deleted) return false;
  try {
    return valueAt(JSON.parse(metadata), 'quota', 'enabled') === true;
  } catch {
    // Metadata that cannot be read is told of where the assistant is planned.
    return false;
  }
}

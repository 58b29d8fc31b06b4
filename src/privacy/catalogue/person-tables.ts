import type { PersonTable } from './person-table.types';

/** Takes the place of the person in records that stay. */
export const ERASED_USER_ID = '00000000-0000-0000-0000-000000000000';

const OWNED = 't.organization_id = $1 AND t.owner_id = $2';
const OF_MEMBER = 't.organization_id = $1 AND t.user_id = $2';
const ASKED = '(t.organization_id = $1 OR t.caller_organization_id = $1) AND t.user_id = $2';
const OF_RUN = `t.run_id IN (SELECT run.id FROM runs run WHERE ${ASKED.replaceAll('t.', 'run.')})`;
const ownedBy = (table: string): string =>
  `SELECT owned.id FROM ${table} owned WHERE owned.organization_id = $1 AND owned.owner_id = $2`;

/** Credentials are opaque in other tables. */
const CREDENTIALS = `
  SELECT $2::uuid::text UNION ALL
  SELECT own.id::text FROM api_keys own WHERE own.organization_id = $1 AND own.user_id = $2 UNION ALL
  SELECT own.id::text FROM sessions own WHERE own.organization_id = $1 AND own.user_id = $2`;

const USAGE_KEY = 'organization_id, day, caller_organization_id, assistant_id, provider, model';
const USAGE_FIGURES = [
  'runs',
  'failed',
  'model_calls',
  'estimated_calls',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_micros',
];

/** Totals stay. The key of a row holds the person, so its figures are added to the row without a person. */
const MERGE_USAGE = `
  WITH gone AS (DELETE FROM usage_days t WHERE ${ASKED} RETURNING *),
  added AS (
    INSERT INTO usage_days AS held (${USAGE_KEY}, user_id, credential_id, assistant_name, ${USAGE_FIGURES.join(', ')})
    SELECT ${USAGE_KEY}, '${ERASED_USER_ID}'::uuid, NULL::uuid, max((SELECT a.name FROM assistants a WHERE a.id = assistant_id)),
           ${USAGE_FIGURES.map((figure) => `sum(${figure})`).join(', ')}
    FROM gone GROUP BY ${USAGE_KEY}
    ON CONFLICT ON CONSTRAINT usage_days_uq DO UPDATE
    SET ${USAGE_FIGURES.map((figure) => `${figure} = held.${figure} + excluded.${figure}`).join(', ')}
  )
  SELECT day FROM gone`;

/**
 * Every table with rows about people, in the order in which an erasure treats them. A test compares the list with the
 * database: it names a table or a column that is missing here and in `TABLES_WITHOUT_PEOPLE`.
 */
export const PERSON_TABLES: readonly PersonTable[] = [
  {
    table: 'conversation_messages',
    kind: 'conversations',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: `t.conversation_id || ' ' || lpad(t.position::text, 10, '0')`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'conversations',
    kind: 'conversations',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'run_events',
    kind: 'runs',
    columns: [],
    rows: OF_RUN,
    key: `t.run_id || ' ' || lpad(t.seq::text, 10, '0')`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'run_requests',
    kind: 'runs',
    columns: ['input', 'request'],
    rows: OF_RUN,
    key: 't.run_id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'runs',
    kind: 'runs',
    columns: ['user_id', 'credential_id'],
    rows: ASKED,
    key: 't.id::text',
    exported: {},
    erasure: {
      by: 'anonymise',
      set: `user_id = '${ERASED_USER_ID}', credential_id = NULL, events = '[]', sources = '[]', passages = '[]', report = NULL,
            plan = NULL, rating_reason = NULL, question = NULL, cancel_reason = NULL, assistant_name = coalesce((SELECT a.name FROM assistants a WHERE a.id = assistant_id), ''), pruned_at = coalesce(pruned_at, now())`,
    },
  },
  {
    table: 'usage_days',
    kind: 'usage',
    columns: ['user_id', 'credential_id'],
    rows: ASKED,
    key: `concat_ws(' ', t.day, t.organization_id, t.assistant_id, t.provider, t.model, t.credential_id)`,
    exported: {},
    erasure: { by: 'merge', statement: MERGE_USAGE },
  },
  {
    table: 'limit_counters',
    kind: 'usage',
    columns: ['subject'],
    rows: 't.organization_id = $1 AND strpos(t.subject, $2::uuid::text) > 0',
    key: `concat_ws(' ', t.rule_id, t.subject, t.window_start)`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'limit_reservations',
    kind: 'usage',
    columns: ['items', 'run'],
    rows: 't.organization_id = $1 AND strpos(t.items::text || t.run::text, $2::uuid::text) > 0',
    key: 't.id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'idempotency_records',
    kind: 'technical',
    columns: ['caller_id', 'response', 'effects'],
    rows: `t.organization_id = $1 AND t.caller_id IN (${CREDENTIALS})`,
    key: 't.id::text',
    exported: { hidden: ['response', 'effects', 'body_hash'] },
    erasure: { by: 'delete' },
  },
  {
    table: 'migration_batches',
    kind: 'technical',
    columns: ['actor'],
    rows: `t.organization_id = $1 AND t.actor->>'userId' = $2::uuid::text`,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'anonymise', set: 'actor = NULL' },
  },
  {
    table: 'group_members',
    kind: 'shares',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: `t.group_id || ' ' || t.source`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'groups',
    kind: 'shares',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'anonymise', set: 'owner_id = NULL' },
  },
  {
    table: 'assistant_shares',
    kind: 'shares',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: 't.assistant_id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'knowledge_base_shares',
    kind: 'shares',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: 't.knowledge_base_id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'assistants',
    kind: 'assistants',
    columns: ['owner_id'],
    rows: OWNED,
    key: `lpad(t.id::text, 10, '0')`,
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'assistant_versions',
    kind: 'assistants',
    columns: ['author_id'],
    rows: 't.organization_id = $1 AND t.author_id = $2',
    key: `lpad(t.assistant_id::text, 10, '0') || ' ' || lpad(t.version::text, 10, '0')`,
    exported: {},
    erasure: { by: 'anonymise', set: 'author_id = NULL' },
  },
  {
    table: 'prompt_templates',
    kind: 'prompt_templates',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'rubrics',
    kind: 'rubrics',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'external_collections',
    kind: 'external_collections',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.collection_id',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'knowledge_bases',
    kind: 'knowledge_bases',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'kb_documents',
    kind: 'knowledge_bases',
    columns: [],
    rows: `t.organization_id = $1 AND t.knowledge_base_id IN (${ownedBy('knowledge_bases')})`,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'kb_chunks',
    kind: 'knowledge_bases',
    columns: [],
    rows: `t.organization_id = $1 AND t.knowledge_base_id IN (${ownedBy('knowledge_bases')})`,
    key: `lpad(t.id::text, 20, '0')`,
    exported: null,
    erasure: { by: 'content' },
  },
  {
    table: 'files',
    kind: 'files',
    columns: ['owner_id'],
    rows: OWNED,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'content' },
  },
  {
    table: 'file_texts',
    kind: 'files',
    columns: [],
    rows: `t.file_id IN (${ownedBy('files')})`,
    key: 't.file_id::text',
    exported: null,
    erasure: { by: 'content' },
  },
  {
    table: 'origins',
    kind: 'technical',
    columns: ['origin_id', 'local_id'],
    rows: `t.organization_id = $1 AND t.kind = 'user' AND t.local_id = $2::uuid::text`,
    key: `t.source || ' ' || t.kind || ' ' || t.origin_id`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'oidc_identities',
    kind: 'sign_in',
    columns: ['user_id', 'issuer', 'subject', 'email', 'groups', 'claims'],
    rows: OF_MEMBER,
    key: `t.issuer || ' ' || t.subject`,
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'scim_users',
    kind: 'sign_in',
    columns: ['user_id', 'user_name_key', 'external_id', 'resource'],
    rows: OF_MEMBER,
    key: 't.user_id::text',
    exported: {},
    erasure: { by: 'delete' },
  },
  {
    table: 'scim_tokens',
    kind: 'sign_in',
    columns: ['created_by'],
    rows: 't.organization_id = $1 AND t.created_by = $2',
    key: 't.id::text',
    exported: { hidden: ['hash'] },
    erasure: { by: 'anonymise', set: `created_by = '${ERASED_USER_ID}'` },
  },
  {
    table: 'sign_in_links',
    kind: 'sign_in',
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: { hidden: ['hash'] },
    erasure: { by: 'delete' },
  },
  {
    table: 'sessions',
    kind: 'sign_in',
    columns: ['user_id', 'subject'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: { hidden: ['hash'] },
    erasure: { by: 'delete' },
  },
  {
    table: 'api_keys',
    kind: 'sign_in',
    columns: ['user_id', 'name'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: { hidden: ['hash'] },
    erasure: { by: 'delete' },
  },
  {
    table: 'audit_entries',
    kind: 'audit',
    columns: ['actor_user_id', 'actor_credential_id', 'target_id', 'before', 'after', 'ip'],
    rows: `t.organization_id = $1 AND (t.actor_user_id = $2 OR t.target_id = $2::uuid::text)`,
    key: 't.id::text',
    exported: {},
    erasure: { by: 'audit' },
  },
  {
    table: 'members',
    kind: 'account',
    columns: ['user_id', 'name'],
    rows: OF_MEMBER,
    key: 't.user_id::text',
    exported: {},
    erasure: { by: 'account' },
  },
  {
    table: 'users',
    kind: 'account',
    columns: ['email'],
    rows: 't.id = $2 AND $1::uuid IS NOT NULL',
    key: 't.id::text',
    exported: {},
    erasure: { by: 'account' },
  },
  {
    table: 'erasure_requests',
    kind: 'audit',
    columns: ['subject_id', 'heir_id', 'requested_by'],
    rows: `t.organization_id = $1 AND t.state = 'done' AND (t.subject_id = $2 OR t.heir_id = $2 OR t.requested_by = $2)`,
    key: 't.id::text',
    exported: {},
    erasure: {
      by: 'anonymise',
      set: `subject_id = NULL, heir_id = CASE WHEN heir_id = $2 THEN NULL ELSE heir_id END,
            requested_by = CASE WHEN requested_by = $2 THEN NULL ELSE requested_by END`,
    },
  },
];

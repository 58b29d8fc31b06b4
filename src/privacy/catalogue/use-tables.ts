import type { PersonTable } from '../person-table.types';
import { ASKED, CREDENTIALS, ERASED_USER_ID, OF_MEMBER, OF_RUN } from './conditions';

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

/** Comparisons of the person, and everybody's repetitions of the person's questions, with their contents. */
const REPEATED = `t.replay IS NOT NULL
      AND t.replay->>'of' IN (SELECT asked.id::text FROM runs asked WHERE ${ASKED.replaceAll('t.', 'asked.')})`;
const DELETE_REPLAYS = `
  WITH repeated AS (
    DELETE FROM runs t WHERE ${REPEATED}
    RETURNING t.id
  ), compared AS (
    DELETE FROM replays t WHERE ${OF_MEMBER} RETURNING t.id
  )
  SELECT id FROM repeated UNION ALL SELECT id FROM compared`;

/** Without links and figures, as askers see the sources of passages that are hidden. */
const SOURCES_SHOWN = `(SELECT coalesce(jsonb_agg(source - '{url,similarity,chars}'::text[]), '[]')
  FROM jsonb_array_elements(t.sources) source) AS sources`;

/** Conversations, runs, usage and work under way. */
export const USE_TABLES: readonly PersonTable[] = [
  // Before the runs, which tell whose questions were repeated.
  {
    table: 'replays',
    kind: 'runs',
    columns: ['user_id', 'caller'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: ['id', 'created_at', 'cancelled_at', 'finished_at'],
    erasure: { by: 'merge', statement: DELETE_REPLAYS },
    lines: REPEATED,
  },
  {
    table: 'conversation_messages',
    kind: 'conversations',
    isConfidential: true,
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: `t.conversation_id || ' ' || lpad(t.position::text, 10, '0')`,
    exported: [
      'id',
      'conversation_id',
      'position',
      'previous_id',
      'role',
      'text',
      'parts',
      'run_id',
      'status',
      'error_code',
      SOURCES_SHOWN,
      'notice',
      'created_at',
    ],
    erasure: { by: 'delete' },
  },
  {
    table: 'conversations',
    kind: 'conversations',
    isConfidential: true,
    columns: ['user_id'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: [
      'id',
      'assistant_id',
      'assistant_name',
      'activity_id',
      'title',
      'last_message_id',
      'created_at',
      'updated_at',
    ],
    erasure: { by: 'delete' },
  },
  {
    table: 'run_events',
    kind: 'runs',
    columns: [],
    rows: OF_RUN,
    key: `t.run_id || ' ' || lpad(t.seq::text, 10, '0')`,
    exported: null,
    erasure: { by: 'delete' },
  },
  {
    table: 'run_requests',
    kind: 'runs',
    columns: ['input', 'request'],
    rows: OF_RUN,
    key: 't.run_id::text',
    exported: null,
    erasure: { by: 'delete' },
  },
  {
    table: 'runs',
    kind: 'runs',
    columns: ['user_id', 'credential_id', 'recording', 'receipt'],
    rows: ASKED,
    key: 't.id::text',
    exported: 'as_asker',
    erasure: {
      by: 'anonymise',
      set: `user_id = '${ERASED_USER_ID}', credential_id = NULL, events = '[]', sources = '[]', passages = '[]', report = NULL,
            plan = NULL, recording = NULL, receipt = NULL, rating_reason = NULL, question = NULL, cancel_reason = NULL, assistant_name = coalesce((SELECT a.name FROM assistants a WHERE a.id = assistant_id), ''), pruned_at = coalesce(pruned_at, now()), segment_id = NULL, segment_position = NULL`,
    },
    lines: ASKED,
  },
  {
    table: 'test_runs',
    kind: 'runs',
    columns: ['user_id', 'caller'],
    rows: OF_MEMBER,
    key: 't.id::text',
    exported: ['id', 'assistant_id', 'assistant_version', 'created_at', 'cancelled_at', 'finished_at'],
    erasure: {
      by: 'anonymise',
      set: `user_id = '${ERASED_USER_ID}', caller = '{}', cancelled_at = coalesce(cancelled_at, now()),
            finished_at = coalesce(finished_at, now())`,
    },
  },
  {
    table: 'usage_days',
    kind: 'usage',
    columns: ['user_id', 'credential_id'],
    rows: ASKED,
    key: `concat_ws(' ', t.day, t.organization_id, t.assistant_id, t.provider, t.model, t.credential_id)`,
    exported: [
      'day',
      'assistant_id',
      'assistant_name',
      'provider',
      'model',
      'runs',
      'failed',
      'model_calls',
      'estimated_calls',
      'prompt_tokens',
      'completion_tokens',
      'cached_tokens',
    ],
    erasure: { by: 'merge', statement: MERGE_USAGE },
  },
  {
    table: 'limit_counters',
    kind: 'usage',
    columns: ['subject'],
    rows: 't.organization_id = $1 AND strpos(t.subject, $2::uuid::text) > 0',
    key: `concat_ws(' ', t.rule_id, t.subject, t.window_start)`,
    exported: ['rule_id', 'window_start', 'window_end', 'amount', 'used', 'reserved'],
    erasure: { by: 'delete' },
  },
  {
    table: 'limit_reservations',
    kind: 'usage',
    columns: ['items', 'run'],
    rows: 't.organization_id = $1 AND strpos(t.items::text || t.run::text, $2::uuid::text) > 0',
    key: 't.id::text',
    exported: ['id', 'expires_at'],
    erasure: { by: 'delete' },
  },
  {
    table: 'idempotency_records',
    kind: 'technical',
    columns: ['caller_id', 'response', 'effects'],
    rows: `t.organization_id = $1 AND t.caller_id IN (${CREDENTIALS})`,
    key: 't.id::text',
    exported: ['id', 'route', 'key', 'state', 'expires_at'],
    erasure: { by: 'delete' },
  },
  {
    table: 'migration_batches',
    kind: 'technical',
    columns: ['actor'],
    rows: `t.organization_id = $1 AND t.actor->>'userId' = $2::uuid::text`,
    key: 't.id::text',
    exported: ['id', 'state', 'task', 'total', 'migrated', 'skipped', 'failed', 'created_at'],
    erasure: { by: 'anonymise', set: 'actor = NULL' },
  },
];

import type { Usage } from '../kernel';
import type { RunRecord } from './run.types';

const COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ['id', 'uuid'],
  ['organization_id', 'uuid'],
  ['caller_organization_id', 'uuid'],
  ['parent_run_id', 'uuid'],
  ['user_id', 'uuid'],
  ['credential_id', 'uuid'],
  ['assistant_id', 'integer'],
  ['assistant_name', 'text'],
  ['assistant_type', 'text'],
  ['strategy', 'text'],
  ['connector', 'text'],
  ['model', 'text'],
  ['stream', 'boolean'],
  ['status', 'text'],
  ['finish_reason', 'text'],
  ['error_code', 'text'],
  ['created_at', 'timestamptz'],
  ['finished_at', 'timestamptz'],
  ['duration_ms', 'double precision'],
  ['prepared_ms', 'double precision'],
  ['first_token_ms', 'double precision'],
  ['prompt_tokens', 'integer'],
  ['completion_tokens', 'integer'],
  ['total_tokens', 'integer'],
  ['tools', 'jsonb'],
  ['sources', 'jsonb'],
  // As text: unpacking rows would unescape what is in them, which fails for characters that PostgreSQL cannot store.
  ['events', 'text'],
  ['report', 'jsonb'],
  ['background', 'boolean'],
  ['worker_id', 'uuid'],
  ['plan', 'jsonb'],
];

/** Fixed when the run is opened. */
const OPENING: readonly string[] = [
  'id',
  'organization_id',
  'caller_organization_id',
  'parent_run_id',
  'user_id',
  'credential_id',
  'assistant_id',
  'created_at',
  'background',
  'worker_id',
];

const names = COLUMNS.map(([name]) => name).join(', ');

const ROWS = `json_to_recordset($1::json) AS r(${COLUMNS.map((column) => column.join(' ')).join(', ')})`;

const values = COLUMNS.map(([name]) => (name === 'events' ? 'events::json' : name)).join(', ');

const LATE = COLUMNS.map(([name]) => name).filter((name) => !OPENING.includes(name));

const INSERT = `
  INSERT INTO runs (${names}, heartbeat_at)
  SELECT ${values}, CASE WHEN worker_id IS NOT NULL THEN now() END FROM ${ROWS}`;

/**
 * `$1` is a JSON array of `toRow` objects. A row of the run that says that it goes on, or that was only
 * believed to be lost, is brought to its end; one that has ended stays.
 */
export const INSERT_RUNS = `${INSERT}
  ON CONFLICT (id) DO UPDATE SET ${LATE.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE NOT runs.background AND (runs.status = 'running' OR runs.error_code = 'worker_lost')`;

/** `$1` as above, of runs that go on: whatever is known of them already knows better. */
export const INSERT_GOING = `${INSERT} ON CONFLICT (id) DO NOTHING`;

/** Of a background run, by its owner: `$1` as above with one row, `$2` the worker, `$3` the events that are not in the log yet. */
export const END_RUN = `
  WITH ended AS (
    UPDATE runs SET ${LATE.map((name) => (name === 'events' ? `events = r.events::json` : `${name} = r.${name}`)).join(', ')}
    FROM ${ROWS} WHERE runs.id = r.id AND runs.status = 'running' AND runs.worker_id = $2 RETURNING runs.id
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM ended)
  ), told AS (
    INSERT INTO run_events (run_id, seq, type, data, at)
    SELECT run_id, seq, type, data, at
    FROM json_to_recordset($3::json) AS e(run_id uuid, seq integer, type text, data text, at timestamptz)
    WHERE run_id IN (SELECT id FROM ended)
    ON CONFLICT (run_id, seq) DO NOTHING
  )
  SELECT id FROM ended`;

/** Of the columns: a model that claims more has counted wrongly. */
const MAX_COUNT = 2 ** 31 - 1;
const NO_COUNTS = { prompt_tokens: null, completion_tokens: null, total_tokens: null };
const isCount = (count: unknown): boolean =>
  Number.isInteger(count) && (count as number) >= 0 && (count as number) <= MAX_COUNT;

/** All or none: what comes from a vendor may be any number. */
function countsOf(usage: Usage | null): Record<string, number | null> {
  const { prompt_tokens, completion_tokens, total_tokens } = usage ?? NO_COUNTS;
  const counts = { prompt_tokens, completion_tokens, total_tokens };
  return Object.values(counts).every(isCount) ? counts : NO_COUNTS;
}

/** The report goes in without its sources: they are the first of the record's own. */
export const toRow = (record: RunRecord, workerId: string | null = null): Record<string, unknown> => ({
  id: record.id,
  organization_id: record.organizationId,
  caller_organization_id: record.callerOrganizationId,
  parent_run_id: record.parentRunId,
  user_id: record.userId,
  credential_id: record.credentialId,
  assistant_id: record.assistantId,
  assistant_name: record.assistantName,
  assistant_type: record.assistantType,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  stream: record.stream,
  status: record.status,
  finish_reason: record.finishReason,
  error_code: record.errorCode,
  created_at: record.createdAt,
  finished_at: record.finishedAt,
  duration_ms: record.durationMs,
  prepared_ms: record.preparedMs,
  first_token_ms: record.firstTokenMs,
  ...countsOf(record.usage),
  tools: record.tools,
  sources: record.sources,
  events: JSON.stringify(record.background ? [] : record.events),
  report: record.report === null ? null : { ...record.report, sources: undefined },
  background: record.background,
  worker_id: workerId,
  plan: record.plan,
});

/** `$1` organization, `$2` assistant. Durations count completed runs only: a failure's says nothing about speed. */
export const RUN_STATS = `
  SELECT count(*)::int AS runs,
         count(*) FILTER (WHERE status = 'failed')::int AS failures,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE status = 'completed') AS p50_ms,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE status = 'completed') AS p95_ms,
         json_build_object('prompt', coalesce(sum(prompt_tokens), 0),
                           'completion', coalesce(sum(completion_tokens), 0),
                           'total', coalesce(sum(total_tokens), 0)) AS tokens
  FROM runs WHERE organization_id = $1 AND assistant_id = $2 AND status NOT IN ('queued', 'running')`;

export const TOOL_STATS = `
  SELECT tool->>'plugin' AS plugin, tool->>'placeholder' AS placeholder,
         count(*)::int AS calls,
         count(*) FILTER (WHERE tool->>'status' = 'failed')::int AS failures,
         avg((tool->>'duration_ms')::float8) AS avg_ms,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY (tool->>'duration_ms')::float8) AS p95_ms
  FROM runs CROSS JOIN LATERAL jsonb_array_elements(tools) AS tool
  WHERE organization_id = $1 AND assistant_id = $2 AND tool->>'status' <> 'skipped'
  GROUP BY 1, 2 ORDER BY min((tool->>'index')::int), 1, 2`;

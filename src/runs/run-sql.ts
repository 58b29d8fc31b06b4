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
  ['events', 'jsonb'],
  ['report', 'jsonb'],
];

const names = COLUMNS.map(([name]) => name).join(', ');

/** `$1` is a JSON array of `toRow` objects. */
export const INSERT_RUNS = `
  INSERT INTO runs (${names})
  SELECT ${names} FROM json_to_recordset($1::json) AS r(${COLUMNS.map((column) => column.join(' ')).join(', ')})
  ON CONFLICT (id) DO NOTHING`;

/** The report goes in without its sources: they are the first of the record's own. */
export const toRow = (record: RunRecord): Record<string, unknown> => ({
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
  prompt_tokens: record.usage?.prompt_tokens ?? null,
  completion_tokens: record.usage?.completion_tokens ?? null,
  total_tokens: record.usage?.total_tokens ?? null,
  tools: record.tools,
  sources: record.sources,
  events: record.events,
  report: record.report === null ? null : { ...record.report, sources: undefined },
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
  FROM runs WHERE organization_id = $1 AND assistant_id = $2`;

export const TOOL_STATS = `
  SELECT tool->>'plugin' AS plugin, tool->>'placeholder' AS placeholder,
         count(*)::int AS calls,
         count(*) FILTER (WHERE tool->>'status' = 'failed')::int AS failures,
         avg((tool->>'duration_ms')::float8) AS avg_ms,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY (tool->>'duration_ms')::float8) AS p95_ms
  FROM runs CROSS JOIN LATERAL jsonb_array_elements(tools) AS tool
  WHERE organization_id = $1 AND assistant_id = $2 AND tool->>'status' <> 'skipped'
  GROUP BY 1, 2 ORDER BY min((tool->>'index')::int), 1, 2`;

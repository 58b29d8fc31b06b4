import type { RunRecord } from './run.types';
import { RUN_COLUMNS } from './run.entity';

/** Columns that leases, cancellation, retention and ratings write by themselves. */
const KEEPING: ReadonlySet<string> = new Set([
  ...['heartbeat_at', 'cancel_requested_at', 'cancel_reason', 'pruned_at'],
  ...['rating', 'rating_reason'],
]);
/** Fixed when the run is opened. */
const FIXED: ReadonlySet<string> = new Set([
  ...['id', 'organization_id', 'caller_organization_id', 'parent_run_id', 'user_id', 'credential_id', 'request_id'],
  ...['assistant_id', 'assistant_version', 'question', 'created_at', 'background', 'draft', 'worker_id', 'replay'],
]);

const COLUMNS = RUN_COLUMNS.filter(({ name }) => !KEEPING.has(name));

// `events` is unpacked as text: unescaping fails for characters that PostgreSQL cannot store.
const TYPES = COLUMNS.map(({ property, name, type }) => `"${property}" ${name === 'events' ? 'text' : type}`);

const ROWS = `json_to_recordset($1::json) AS r(${TYPES.join(', ')})`;

const valueOf = ({ property, name }: (typeof COLUMNS)[number]): string =>
  name === 'events' ? 'r.events::json' : `r."${property}"`;

const CHANGING = COLUMNS.filter(({ name }) => !FIXED.has(name));

const INSERT = `
  INSERT INTO runs (${COLUMNS.map(({ name }) => name).join(', ')}, heartbeat_at)
  SELECT ${COLUMNS.map(valueOf).join(', ')}, CASE WHEN r."workerId" IS NOT NULL THEN now() END FROM ${ROWS}`;

/**
 * Inserts ended runs. `$1` is a JSON array of `toRow` objects. A row that is running or was taken for lost is updated; an
 * ended row stays.
 */
export const INSERT_ENDED = `${INSERT}
  ON CONFLICT (id) DO UPDATE SET ${CHANGING.map(({ name }) => `${name} = excluded.${name}`).join(', ')}
  WHERE NOT runs.background AND (runs.status = 'running' OR runs.error_code = 'worker_lost')`;

/** Inserts queued or running runs, `$1` as above. An existing row is newer and stays. */
export const INSERT_RUNNING = `${INSERT} ON CONFLICT (id) DO NOTHING`;

/** Ends a background run. `$1` as above with one row, `$2` its worker, `$3` the events that are not in the log yet. */
export const END_RUN = `
  WITH ended AS (
    UPDATE runs SET ${CHANGING.map((column) => `${column.name} = ${valueOf(column)}`).join(', ')}
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

/** Largest value of the `integer` columns; a vendor may claim any number. */
const MAX_COUNT = 2 ** 31 - 1;
const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0 && count <= MAX_COUNT;

/** All counts, or none when one of them cannot be stored. */
function countsOf({ usage }: RunRecord): object {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens } = usage ?? NONE;
  const counts = { promptTokens, completionTokens, totalTokens };
  return Object.values(counts).every(isCount) ? counts : {};
}
const NONE = { prompt_tokens: -1, completion_tokens: -1, total_tokens: -1 };

/** The record under the names of the entity's properties. Missing members become NULL. */
export const toRow = (record: RunRecord, workerId: string | null = null): object => ({
  ...record,
  ...countsOf(record),
  usage: undefined,
  ending: undefined,
  events: JSON.stringify(record.background ? [] : record.events),
  report: record.report === null ? null : { ...record.report, sources: undefined },
  workerId,
});

/** `$1` organization, `$2` assistant. Durations are those of completed runs. */
export const RUN_STATS = `
  SELECT count(*)::int AS runs,
         count(*) FILTER (WHERE status = 'failed')::int AS failures,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE status = 'completed') AS p50_ms,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE status = 'completed') AS p95_ms,
         json_build_object('prompt', coalesce(sum(prompt_tokens), 0),
                           'completion', coalesce(sum(completion_tokens), 0),
                           'total', coalesce(sum(total_tokens), 0)) AS tokens
  FROM runs WHERE organization_id = $1 AND assistant_id = $2 AND NOT draft
    AND status NOT IN ('queued', 'running')`;

export const TOOL_STATS = `
  SELECT tool->>'plugin' AS plugin, tool->>'placeholder' AS placeholder,
         count(*)::int AS calls,
         count(*) FILTER (WHERE tool->>'status' = 'failed')::int AS failures,
         avg((tool->>'duration_ms')::float8) AS avg_ms,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY (tool->>'duration_ms')::float8) AS p95_ms
  FROM runs CROSS JOIN LATERAL jsonb_array_elements(tools) AS tool
  WHERE organization_id = $1 AND assistant_id = $2 AND NOT draft AND tool->>'status' <> 'skipped'
  GROUP BY 1, 2 ORDER BY min((tool->>'index')::int), 1, 2`;

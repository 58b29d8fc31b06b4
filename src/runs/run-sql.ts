import type { RunRecord } from './run.types';
import { RUN_COLUMNS, type RunEntity, type RunSegmentEntity } from './run.entity';

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
/** Filled by earlier releases only: the line of the run has them. */
const EARLIER: ReadonlySet<string> = new Set(['report', 'passages', 'recording', 'receipt']);
/** Lists of JSON, empty when the row states none. */
const LISTS: ReadonlySet<string> = new Set(['tools', 'sources', 'events']);

const COLUMNS = RUN_COLUMNS.filter(({ name }) => !KEEPING.has(name) && !EARLIER.has(name));
type Column = (typeof COLUMNS)[number];

const isJson = ({ type }: Column): boolean => type === 'json' || type === 'jsonb';

/** One array per column costs the server less than JSON, which it would parse. */
const unnested = (types: readonly string[], from: number): string =>
  `unnest(${types.map((type, at) => `$${from + at}::${type}[]`).join(', ')})`;

const ROWS = `${unnested(
  COLUMNS.map((column) => (isJson(column) ? 'text' : column.type)),
  1,
)} AS r(${COLUMNS.map(({ name }) => name).join(', ')})`;

function valueOf(column: Column): string {
  const { name, type } = column;
  if (!isJson(column)) return `r.${name}`;
  return LISTS.has(name) ? `coalesce(r.${name}, '[]')::${type}` : `r.${name}::${type}`;
}

const CHANGING = COLUMNS.filter(({ name }) => !FIXED.has(name));

const INSERT = `
  INSERT INTO runs (${COLUMNS.map(({ name }) => name).join(', ')}, heartbeat_at)
  SELECT ${COLUMNS.map(valueOf).join(', ')}, CASE WHEN r.worker_id IS NOT NULL THEN now() END FROM ${ROWS}`;

/** A segment as it is inserted. */
export type NewSegment = Omit<RunSegmentEntity, 'sealedAt'> & { readonly sealedAt: string };

const SEGMENT_COLUMNS: readonly (readonly [property: keyof NewSegment, name: string, type: string])[] = [
  ['id', 'id', 'uuid'],
  ['organizationId', 'organization_id', 'uuid'],
  ['callerOrganizationId', 'caller_organization_id', 'uuid'],
  ['body', 'body', 'bytea'],
  ['count', 'count', 'integer'],
  ['chain', 'chain', 'uuid'],
  ['number', 'number', 'integer'],
  ['root', 'root', 'text'],
  ['previousRoot', 'previous_root', 'text'],
  ['signature', 'signature', 'text'],
  ['keyId', 'key_id', 'text'],
  ['sealedAt', 'sealed_at', 'timestamptz'],
];

const insertSegments = (from: number): string => `
  INSERT INTO run_segments (${SEGMENT_COLUMNS.map(([, name]) => name).join(', ')})
  SELECT * FROM ${unnested(
    SEGMENT_COLUMNS.map(([, , type]) => type),
    from,
  )}`;

/**
 * Inserts ended runs with their segments. Parameters: `rowArrays`, `segmentArrays`. A row that is running or was taken for
 * lost is updated; an ended row stays. The same segments may come again: the answer to the first try can be lost.
 */
export const INSERT_ENDED = `
  WITH sealed AS (${insertSegments(COLUMNS.length + 1)} ON CONFLICT (id) DO NOTHING)
  ${INSERT}
  ON CONFLICT (id) DO UPDATE SET ${CHANGING.map(({ name }) => `${name} = excluded.${name}`).join(', ')}
  WHERE NOT runs.background AND (runs.status = 'running' OR runs.error_code = 'worker_lost')`;

/** Inserts queued or running runs. Parameters: `rowArrays`. An existing row is newer and stays. */
export const INSERT_RUNNING = `${INSERT} ON CONFLICT (id) DO NOTHING`;

const AFTER_ROW = COLUMNS.length + 1;

/** Ends a background run. Parameters: `rowArrays` of one row, its worker, the events that are not in the log yet, `segmentArrays`. */
export const END_RUN = `
  WITH ended AS (
    UPDATE runs SET ${CHANGING.map((column) => `${column.name} = ${valueOf(column)}`).join(', ')}
    FROM ${ROWS} WHERE runs.id = r.id AND runs.status = 'running' AND runs.worker_id = $${AFTER_ROW} RETURNING runs.id
  ), sealed AS (
    ${insertSegments(AFTER_ROW + 2)} WHERE EXISTS (SELECT FROM ended)
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM ended)
  ), told AS (
    INSERT INTO run_events (run_id, seq, type, data, at)
    SELECT run_id, seq, type, data, at
    FROM json_to_recordset($${AFTER_ROW + 1}::json) AS e(run_id uuid, seq integer, type text, data text, at timestamptz)
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

/** Place of the line of an ended run. */
export interface LinePlace {
  readonly segmentId: string;
  readonly segmentPosition: number;
}

/** Values under the names of the entity's properties; JSON as text. Missing members become NULL. */
export type RunRow = Readonly<Partial<Record<keyof RunEntity, unknown>>>;

const listText = (items: readonly unknown[]): string | null => (items.length === 0 ? null : JSON.stringify(items));
const jsonText = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** Statistics read tools and sources with SQL, so they are columns. The line of an ended run has its events and its plan. */
export function toRow(record: RunRecord, workerId: string | null = null, place: LinePlace | null = null): RunRow {
  const isTold = place === null && !record.background;
  return {
    ...record,
    ...countsOf(record),
    ...place,
    tools: listText(record.tools),
    sources: listText(record.sources),
    events: isTold ? listText(record.events) : null,
    plan: place === null ? jsonText(record.plan) : null,
    replay: jsonText(record.replay),
    rating: null,
    workerId,
  };
}

export const rowArrays = (rows: readonly RunRow[]): unknown[][] =>
  COLUMNS.map(({ property }) => rows.map((row) => row[property] ?? null));

export const segmentArrays = (segments: readonly NewSegment[]): unknown[][] =>
  SEGMENT_COLUMNS.map(([property]) => segments.map((segment) => segment[property]));

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

import type { ErrorCode, StampedRunEvent } from '@bellwether/kernel';
import type { Transaction } from '../../infrastructure/database';
import { type RunEnd, loggedEvent } from '../run';

export interface LockedRun {
  readonly id: string;
  readonly background: boolean;
  readonly events: readonly StampedRunEvent[];
}

const LAST_SEQS = `SELECT run_id AS id, max(seq)::int AS seq FROM run_events WHERE run_id = ANY($1) GROUP BY run_id`;

const END = `
  WITH r AS (SELECT * FROM json_to_recordset($1::json) AS r(id uuid, events text)), ended AS (
    UPDATE runs SET status = $2, error_code = $3, finished_at = now(),
      duration_ms = extract(epoch FROM now() - runs.created_at) * 1000, events = r.events::json
    FROM r WHERE runs.id = r.id RETURNING runs.id
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM ended)
  )
  INSERT INTO run_events (run_id, seq, type, data, at)
  SELECT run_id, seq, type, data, at
  FROM json_to_recordset($4::json) AS e(run_id uuid, seq integer, type text, data text, at timestamptz)`;

type ForeignEnd = Exclude<RunEnd, { type: 'run.completed' }>;

/** Ends runs that this process does not execute. The caller holds the row locks, so nobody appends events meanwhile. */
export async function endLockedRuns(tx: Transaction, runs: readonly LockedRun[], end: ForeignEnd): Promise<void> {
  if (runs.length === 0) return;
  const seqs = await tx.query<{ id: string; seq: number }[]>(LAST_SEQS, [runs.map(({ id }) => id)]);
  const lastOf = new Map(seqs.map(({ id, seq }) => [id, seq]));
  const at = new Date().toISOString();
  const records: object[] = [];
  const logged: object[] = [];
  for (const { id, background, events } of runs) {
    const last = background ? (lastOf.get(id) ?? 0) : (events.at(-1)?.seq ?? 0);
    const stamped: StampedRunEvent = { run_id: id, seq: last + 1, at, ...end };
    records.push({ id, events: JSON.stringify(background ? [] : [...events, stamped]) });
    if (background) logged.push({ run_id: id, ...loggedEvent(stamped) });
  }
  const [status, code]: [string, ErrorCode] =
    end.type === 'run.cancelled' ? ['cancelled', 'cancelled'] : ['failed', end.code];
  await tx.query(END, [JSON.stringify(records), status, code, JSON.stringify(logged)]);
}

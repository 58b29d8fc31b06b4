import type { ErrorCode, StampedRunEvent } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction, Transactions } from '../../infrastructure/database';
import { type RunEnd, loggedEvent } from '../run';
import { RunMetrics } from './run.metrics';

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

/** A run whose lease has expired. `heartbeat` is the database's text of its last heartbeat. */
export interface ExpiredRun {
  readonly id: string;
  readonly heartbeat: string;
}

interface ReapedRuns {
  readonly failed: readonly string[];
  readonly requeued: readonly string[];
}

/** Locks in the order of ids, like every statement that locks several runs. */
const BEAT = `
  WITH held AS (
    SELECT id FROM runs WHERE id = ANY($2) AND worker_id = $1 AND status = 'running' ORDER BY id FOR NO KEY UPDATE
  ), beaten AS (
    UPDATE runs SET heartbeat_at = now() WHERE id IN (SELECT id FROM held) RETURNING id
  )
  SELECT id FROM beaten`;

const EXPIRED = `
  SELECT id, heartbeat_at::text AS heartbeat FROM runs
  WHERE status = 'running' AND NOT (id = ANY($1)) AND heartbeat_at < now() - make_interval(secs => $2)
  ORDER BY id`;

const LOCK_EXPIRED = `
  SELECT id, background, events FROM runs
  WHERE status = 'running' AND (id, heartbeat_at) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))
  ORDER BY id FOR UPDATE SKIP LOCKED`;

/** Queues locked background runs again, once each. A run that asked a vendor is not repeated. */
const REQUEUE = `
  WITH again AS (
    UPDATE run_requests q SET retries = q.retries + 1 FROM runs
    WHERE q.run_id = ANY($1) AND runs.id = q.run_id AND runs.background AND runs.cancel_requested_at IS NULL
      AND NOT q.vendor_asked AND q.retries = 0
      AND NOT EXISTS (SELECT FROM run_events e WHERE e.run_id = q.run_id AND e.type IN ('llm.started', 'llm.delta'))
    RETURNING q.run_id
  ), queued AS (
    UPDATE runs SET status = 'queued', worker_id = NULL, heartbeat_at = NULL
    WHERE id IN (SELECT run_id FROM again) RETURNING id
  )
  SELECT id FROM queued`;

/** Leases on running rows: heartbeats, and runs whose lease has expired. All times are the database's. */
@Injectable()
export class RunLeaseRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
    private readonly metrics: RunMetrics,
  ) {}

  /** Renews the leases of a worker in one statement. Returns the runs that are still the worker's. */
  @AcrossOrganizations('jobs')
  async beat(workerId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(BEAT, [workerId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Runs without a heartbeat for `seconds`, except those of this process. */
  @AcrossOrganizations('jobs')
  expired(seconds: number, except: readonly string[]): Promise<ExpiredRun[]> {
    return this.dataSource.query(EXPIRED, [except, seconds]);
  }

  /**
   * Ends the runs that still have the same heartbeat. Runs that have asked no vendor are queued again, with jobs from
   * `sendJobs`; the others fail.
   */
  @AcrossOrganizations('jobs')
  async reap(
    expired: readonly ExpiredRun[],
    sendJobs: (ids: readonly string[], tx: Transaction) => Promise<void>,
  ): Promise<ReapedRuns> {
    const reaped = await this.transactions.run(async (tx) => {
      const locked = await tx.query<LockedRun[]>(LOCK_EXPIRED, [
        expired.map(({ id }) => id),
        expired.map(({ heartbeat }) => heartbeat),
      ]);
      const queued = await tx.query<{ id: string }[]>(REQUEUE, [locked.map(({ id }) => id)]);
      const requeued = queued.map(({ id }) => id);
      await sendJobs(requeued, tx);
      const lost = locked.filter(({ id }) => !requeued.includes(id));
      const message = 'The process that executed the run is gone';
      await endLockedRuns(tx, lost, { type: 'run.failed', code: 'worker_lost', message });
      return { failed: lost.map(({ id }) => id), requeued };
    });
    this.metrics.reaped(reaped);
    return reaped;
  }
}

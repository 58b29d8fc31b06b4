import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ErrorCode, JsonObject, RunEvent, StampedRunEvent } from '../kernel';
import { type Transaction, Transactions } from '../platform/database';
import { loggedEvent } from './logged-event';
import { INSERT_GOING, toRow } from './run-sql';
import type { RunInput, RunRecord } from './run.types';

export interface ClaimedRun {
  readonly createdAt: Date;
  readonly input: RunInput;
  readonly request: JsonObject;
  /** Earlier tries, by processes that died. */
  readonly retries: number;
  /** `seq` of its last event. */
  readonly lastSeq: number;
}

/** How somebody else than its worker ends a run. */
export interface ForeignEnding {
  readonly status: 'failed' | 'cancelled';
  readonly errorCode: ErrorCode;
  readonly event: RunEvent;
}

/** Background runs that wait or go on, as one more comes. */
export interface Crowd {
  readonly ofUser: number;
  readonly ofOrganization: number;
  /** Turns are taken in rising order. Each run of an organization has a later one than its last that waits. */
  readonly turn: number;
}

/** A run without a sign of life for a time; `sign` is the last, as the database writes it. */
export interface SilentRun {
  readonly id: string;
  readonly sign: string;
}

type EnqueueAgain = (ids: readonly string[], tx: Transaction) => Promise<void>;

interface ReapedRuns {
  readonly ended: readonly string[];
  readonly again: readonly string[];
}

interface ClaimedRow {
  readonly created_at: Date;
  readonly input: RunInput;
  readonly request: JsonObject;
  readonly retries: number;
  readonly last_seq: number;
}

interface LockedRun {
  readonly id: string;
  readonly background: boolean;
  readonly events: readonly StampedRunEvent[];
}

/** The first turn is that of whoever is next: nobody who comes now waits for all that another organization has waiting. */
const CROWD = `
  SELECT count(*) FILTER (WHERE organization_id = $1 AND user_id = $2)::int AS "ofUser",
         count(*) FILTER (WHERE organization_id = $1)::int AS "ofOrganization",
         coalesce(greatest(min(turn) FILTER (WHERE status = 'queued'),
                           max(turn) FILTER (WHERE status = 'queued' AND organization_id = $1) + 1), 0) AS turn
  FROM runs JOIN run_requests ON run_id = id WHERE background AND status IN ('queued', 'running')`;

const ASK = `INSERT INTO run_requests (run_id, turn, input, request) VALUES ($1, $2, $3, $4)`;

const CLAIM = `
  WITH claimed AS (
    UPDATE runs SET status = 'running', worker_id = $2, heartbeat_at = now()
    FROM run_requests q WHERE runs.id = $1 AND q.run_id = runs.id AND runs.status = 'queued'
    RETURNING runs.id, runs.created_at, q.input, q.request, q.retries
  )
  SELECT *, (SELECT coalesce(max(seq), 0)::int FROM run_events WHERE run_id = claimed.id) AS last_seq FROM claimed`;

/** The row lock excludes the reaper: it waits for this statement, or this one finds that the run is lost. */
const ASK_VENDOR = `
  WITH owned AS (
    SELECT id FROM runs WHERE id = $1 AND worker_id = $2 AND status = 'running' FOR SHARE
  ), asked AS (
    UPDATE run_requests SET vendor_asked = true WHERE run_id IN (SELECT id FROM owned) RETURNING run_id
  )
  SELECT run_id FROM asked`;

/** Queues locked runs again that have asked no vendor, once each. */
const BEGIN_AGAIN = `
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

const ASK_CANCEL = `
  WITH asked AS (
    UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()), cancel_reason = coalesce(cancel_reason, $3)
    WHERE organization_id = $1 AND id = $2 AND status = 'running' RETURNING id
  )
  SELECT id FROM asked`;

const CANCELS = `
  SELECT id, cancel_reason AS reason FROM runs
  WHERE worker_id = $1 AND status = 'running' AND cancel_requested_at IS NOT NULL`;

/** In the order of ids, like all who lock several runs. */
const BEAT = `
  WITH held AS (
    SELECT id FROM runs WHERE id = ANY($2) AND worker_id = $1 AND status = 'running' ORDER BY id FOR NO KEY UPDATE
  ), beaten AS (
    UPDATE runs SET heartbeat_at = now() WHERE id IN (SELECT id FROM held) RETURNING id
  )
  SELECT id FROM beaten`;

const SILENT = `
  SELECT id, heartbeat_at::text AS sign FROM runs
  WHERE status = 'running' AND NOT (id = ANY($1)) AND heartbeat_at < now() - make_interval(secs => $2)
  ORDER BY id`;

const LOCK_LOST = `
  SELECT id, background, events FROM runs
  WHERE status = 'running' AND (id, heartbeat_at) IN (SELECT * FROM unnest($1::uuid[], $2::timestamptz[]))
  ORDER BY id FOR UPDATE SKIP LOCKED`;

const LOCK_QUEUED = `
  SELECT id, background, events FROM runs WHERE organization_id = $1 AND id = $2 AND status = 'queued' FOR UPDATE`;

const LAST_SEQS = `SELECT run_id AS id, max(seq)::int AS seq FROM run_events WHERE run_id = ANY($1) GROUP BY run_id`;

const END_FOREIGN = `
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

const WAITING = `
  SELECT id, created_at::text AS since FROM runs
  WHERE status = 'queued' AND created_at < now() - make_interval(secs => $1)
    AND ($2::timestamptz IS NULL OR (created_at, id) > ($2::timestamptz, $3::uuid))
  ORDER BY created_at, id LIMIT $4`;

const PRUNE = `
  WITH old AS (
    SELECT id FROM runs
    WHERE pruned_at IS NULL AND created_at < now() - make_interval(days => $1) AND status NOT IN ('queued', 'running')
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), emptied AS (
    UPDATE runs SET events = '[]', sources = '[]', report = NULL, plan = NULL, pruned_at = now()
    WHERE id IN (SELECT id FROM old) RETURNING id
  ), told AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM old)
  )
  SELECT id FROM emptied`;

/** Who may write about a run, and how it ends when that is nobody any more. All times are the database's. */
@Injectable()
export class RunLifecycleRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
  ) {}

  /** Several who come at the same moment do not see each other: waiting for each other would hold up all connections. */
  async crowd({ organizationId, userId }: RunRecord, tx: Transaction): Promise<Crowd> {
    const [crowd] = await tx.query<[Crowd]>(CROWD, [organizationId, userId]);
    return crowd;
  }

  /** A queued run and what it was asked. */
  async enqueue(record: RunRecord, turn: number, input: RunInput, request: JsonObject, tx: Transaction): Promise<void> {
    await tx.query(INSERT_GOING, [JSON.stringify([toRow(record)])]);
    await tx.query(ASK, [record.id, turn, JSON.stringify(input), JSON.stringify(request)]);
  }

  once<T>(name: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transactions.once(name, work);
  }

  together(work: (tx: Transaction) => Promise<void>): Promise<void> {
    return this.transactions.run(work);
  }

  /** Null when it is not queued any more. */
  async claim(id: string, workerId: string): Promise<ClaimedRun | null> {
    const [row] = await this.dataSource.query<ClaimedRow[]>(CLAIM, [id, workerId]);
    if (row === undefined) return null;
    const { created_at: createdAt, last_seq: lastSeq, input, request, retries } = row;
    return { createdAt, input, request, retries, lastSeq };
  }

  async isQueued(id: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(`SELECT FROM runs WHERE id = $1 AND status = 'queued'`, [id]);
    return rows.length > 0;
  }

  /** Forbids to begin the run again; to be called before the first vendor call. False when the worker has lost the run. */
  async askVendor(id: string, workerId: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(ASK_VENDOR, [id, workerId]);
    return rows.length > 0;
  }

  /** False when it does not go on (any more, or not in the table yet). The first reason stays. */
  async askToCancel(organizationId: string, id: string, reason: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(ASK_CANCEL, [organizationId, id, reason]);
    return rows.length > 0;
  }

  /** Which of a worker's runs somebody wants to end. */
  cancels(workerId: string): Promise<{ id: string; reason: string }[]> {
    return this.dataSource.query(CANCELS, [workerId]);
  }

  /** One sign of life for all; returns those that are still the worker's. */
  async beat(workerId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(BEAT, [workerId, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** False when it is not queued any more. */
  cancelQueued(organizationId: string, id: string, reason: string): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const runs = await tx.query<LockedRun[]>(LOCK_QUEUED, [organizationId, id]);
      const event: RunEvent = { type: 'run.cancelled', reason };
      await endForeign(tx, runs, { status: 'cancelled', errorCode: 'cancelled', event });
      return runs.length > 0;
    });
  }

  /** Runs that nobody has given a sign of life for `seconds`, but for those that go on here. */
  silent(seconds: number, except: readonly string[]): Promise<SilentRun[]> {
    return this.dataSource.query(SILENT, [except, seconds]);
  }

  /**
   * Takes the runs that still give no sign of life. Runs that have asked no vendor are queued again, with a job by
   * `enqueue`; the others fail.
   */
  reap(lost: readonly SilentRun[], enqueue: EnqueueAgain): Promise<ReapedRuns> {
    return this.transactions.run(async (tx) => {
      const locked = await tx.query<LockedRun[]>(LOCK_LOST, [lost.map(({ id }) => id), lost.map(({ sign }) => sign)]);
      const again = (await tx.query<{ id: string }[]>(BEGIN_AGAIN, [locked.map(({ id }) => id)])).map(({ id }) => id);
      await enqueue(again, tx);
      const runs = locked.filter(({ id }) => !again.includes(id));
      const event: RunEvent = {
        type: 'run.failed',
        code: 'worker_lost',
        message: 'The process that carried out the run is gone',
      };
      await endForeign(tx, runs, { status: 'failed', errorCode: 'worker_lost', event });
      return { ended: runs.map(({ id }) => id), again };
    });
  }

  /** Queued for longer than that, oldest first, in pages of at most `limit`. */
  async *waiting(seconds: number, limit: number): AsyncGenerator<string[], void, void> {
    let last: { id: string; since: string } | undefined;
    do {
      const page: { id: string; since: string }[] = await this.dataSource.query(WAITING, [
        seconds,
        last?.since ?? null,
        last?.id ?? null,
        limit,
      ]);
      if (page.length > 0) yield page.map(({ id }) => id);
      last = page.length < limit ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  /** Takes contents away that are older than that, from at most `limit` runs, and says from how many. */
  async prune(days: number, limit: number): Promise<number> {
    const rows = await this.dataSource.query<object[]>(PRUNE, [days, limit]);
    return rows.length;
  }
}

/** The rows are locked: nobody adds an event meanwhile, so the last `seq` is the last. */
async function endForeign(tx: Transaction, runs: readonly LockedRun[], ending: ForeignEnding): Promise<void> {
  if (runs.length === 0) return;
  const { status, errorCode, event } = ending;
  const seqs = await tx.query<{ id: string; seq: number }[]>(LAST_SEQS, [runs.map(({ id }) => id)]);
  const lastOf = new Map(seqs.map(({ id, seq }) => [id, seq]));
  const at = new Date().toISOString();
  const rows = runs.map((run) => {
    const last = run.background ? (lastOf.get(run.id) ?? 0) : (run.events.at(-1)?.seq ?? 0);
    const stamped: StampedRunEvent = { run_id: run.id, seq: last + 1, at, ...event };
    return { run, stamped };
  });
  await tx.query(END_FOREIGN, [
    JSON.stringify(
      rows.map(({ run, stamped }) => ({
        id: run.id,
        events: JSON.stringify(run.background ? [] : [...run.events, stamped]),
      })),
    ),
    status,
    errorCode,
    JSON.stringify(
      rows.filter(({ run }) => run.background).map(({ run, stamped }) => ({ run_id: run.id, ...loggedEvent(stamped) })),
    ),
  ]);
}

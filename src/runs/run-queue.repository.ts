import type { JsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../infrastructure/database';
import { INSERT_RUNNING, rowArrays, toRow } from './run-sql';
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

/** Background runs that are queued or running. */
export interface QueueLoad {
  readonly ofUser: number;
  readonly ofOrganization: number;
  /** Place in the round robin of organizations, rising. An organization's next run gets a later turn than its last. */
  readonly turn: number;
}

/** An organization without queued runs gets the lowest turn, so the backlog of another one does not delay it. */
const LOAD = `
  SELECT count(*) FILTER (WHERE organization_id = $1 AND user_id = $2)::int AS "ofUser",
         count(*) FILTER (WHERE organization_id = $1)::int AS "ofOrganization",
         coalesce(greatest(min(turn) FILTER (WHERE status = 'queued'),
                           max(turn) FILTER (WHERE status = 'queued' AND organization_id = $1) + 1), 0) AS turn
  FROM runs JOIN run_requests ON run_id = id WHERE background AND status IN ('queued', 'running')`;

const INSERT_REQUEST = `INSERT INTO run_requests (run_id, turn, input, request) VALUES ($1, $2, $3, $4)`;

const CLAIM = `
  WITH claimed AS (
    UPDATE runs SET status = 'running', worker_id = $2, heartbeat_at = now()
    FROM run_requests q WHERE runs.id = $1 AND q.run_id = runs.id AND runs.status = 'queued'
    RETURNING runs.id, runs.created_at AS "createdAt", q.input, q.request, q.retries
  )
  SELECT *, (SELECT coalesce(max(seq), 0)::int FROM run_events WHERE run_id = claimed.id) AS "lastSeq" FROM claimed`;

/** The row lock excludes the reaper: it waits for this statement, or this statement finds the run lost. */
const MARK_VENDOR_ASKED = `
  WITH owned AS (
    SELECT id FROM runs WHERE id = $1 AND worker_id = $2 AND status = 'running' FOR SHARE
  ), marked AS (
    UPDATE run_requests SET vendor_asked = true WHERE run_id IN (SELECT id FROM owned) RETURNING run_id
  )
  SELECT run_id FROM marked`;

const QUEUED_LONG = `
  SELECT id, created_at::text AS since FROM runs
  WHERE status = 'queued' AND created_at < now() - make_interval(secs => $1)
    AND ($2::timestamptz IS NULL OR (created_at, id) > ($2::timestamptz, $3::uuid))
  ORDER BY created_at, id LIMIT $4`;

/** Queued runs and their claims. All times are the database's. */
@Injectable()
export class RunQueueRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Concurrent callers may exceed a limit: a lock would make requests wait for one another. */
  @AcrossOrganizations('jobs')
  async load({ organizationId, userId }: RunRecord, tx: Transaction): Promise<QueueLoad> {
    const [load] = await tx.query<[QueueLoad]>(LOAD, [organizationId, userId]);
    return load;
  }

  @AcrossOrganizations('calls')
  async enqueue(record: RunRecord, turn: number, input: RunInput, request: JsonObject, tx: Transaction): Promise<void> {
    await tx.query(INSERT_RUNNING, rowArrays([toRow(record)]));
    await tx.query(INSERT_REQUEST, [record.id, turn, JSON.stringify(input), JSON.stringify(request)]);
  }

  /** Null when the run is no longer queued. */
  @AcrossOrganizations('jobs')
  async claim(id: string, workerId: string): Promise<ClaimedRun | null> {
    const [claimed] = await this.dataSource.query<ClaimedRun[]>(CLAIM, [id, workerId]);
    return claimed ?? null;
  }

  @AcrossOrganizations('jobs')
  async isQueued(id: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(`SELECT FROM runs WHERE id = $1 AND status = 'queued'`, [id]);
    return rows.length > 0;
  }

  /** Prevents a retry of the run; call it before the first vendor call. False when the worker has lost the run. */
  @AcrossOrganizations('jobs')
  async markVendorAsked(id: string, workerId: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(MARK_VENDOR_ASKED, [id, workerId]);
    return rows.length > 0;
  }

  /** Ids of runs that have been queued for longer than `seconds`, oldest first, in pages of at most `limit`. */
  async *queuedLong(seconds: number, limit: number): AsyncGenerator<string[], void, void> {
    let last: { id: string; since: string } | undefined;
    do {
      const page: { id: string; since: string }[] = await this.dataSource.query(QUEUED_LONG, [
        seconds,
        last?.since ?? null,
        last?.id ?? null,
        limit,
      ]);
      if (page.length > 0) yield page.map(({ id }) => id);
      last = page.length < limit ? undefined : page.at(-1);
    } while (last !== undefined);
  }
}

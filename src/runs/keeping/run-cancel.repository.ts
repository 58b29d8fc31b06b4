import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, Transactions } from '../../infrastructure/database';
import { endLockedRuns, type LockedRun } from './run-lease.repository';

const REQUEST = `
  WITH asked AS (
    UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()), cancel_reason = coalesce(cancel_reason, $3)
    WHERE organization_id = $1 AND id = $2 AND status = 'running' RETURNING id
  )
  SELECT id FROM asked`;

const REQUESTED = `
  SELECT id, cancel_reason AS reason FROM runs
  WHERE worker_id = $1 AND status = 'running' AND cancel_requested_at IS NOT NULL`;

const LOCK_QUEUED = `
  SELECT id, background, events FROM runs WHERE organization_id = $1 AND id = $2 AND status = 'queued' FOR UPDATE`;

/** Requests to cancel runs, for the process that executes them. */
@Injectable()
export class RunCancelRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
  ) {}

  /** False without a running row. The first reason stays. */
  @AcrossOrganizations('calls')
  async request(organizationId: string, id: string, reason: string): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(REQUEST, [organizationId, id, reason]);
    return rows.length > 0;
  }

  /** Runs of a worker that somebody wants to cancel. */
  @AcrossOrganizations('jobs')
  requested(workerId: string): Promise<{ id: string; reason: string }[]> {
    return this.dataSource.query(REQUESTED, [workerId]);
  }

  /** Ends a queued run. False when it is no longer queued. */
  @AcrossOrganizations('calls')
  cancelQueued(organizationId: string, id: string, reason: string): Promise<boolean> {
    return this.transactions.run(async (tx) => {
      const runs = await tx.query<LockedRun[]>(LOCK_QUEUED, [organizationId, id]);
      await endLockedRuns(tx, runs, { type: 'run.cancelled', reason });
      return runs.length > 0;
    });
  }
}

import { type Caller, type Page, pageOf, type PageRequest, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { LeaseHolder, Transaction } from '../../infrastructure/database';
import * as sql from './batch-sql';
import type { Batch, BatchScope, BatchState, BatchTask, TaskFailure } from './batch.types';

/** Stored in place of the report, which a failed task lacks. */
export interface FailureResult {
  readonly failure: TaskFailure;
}

interface BatchRow extends Omit<Batch, 'lease' | 'result' | 'failure'> {
  readonly result: Batch['result'] | FailureResult;
  readonly live: boolean;
  readonly leaseHolder: LeaseHolder | null;
  readonly leaseUntil: Date | null;
}

function batchOf({ live, leaseHolder, leaseUntil, result, ...batch }: BatchRow): Batch {
  const lease = live && leaseHolder !== null && leaseUntil !== null ? { holder: leaseHolder, until: leaseUntil } : null;
  const ended =
    result !== null && 'failure' in result ? { result: null, failure: result.failure } : { result, failure: null };
  return { ...batch, ...ended, lease };
}

export interface NewBatch extends BatchScope {
  readonly id: string;
  readonly background: boolean;
  readonly batchSize: number;
  readonly actor: Caller | null;
}

export interface TaskStart {
  readonly task: BatchTask;
  readonly state: BatchState;
  readonly forced: boolean;
}

export interface Lease {
  readonly batchId: string;
  readonly token: string;
  readonly seconds: number;
}

export interface Ending {
  readonly state: BatchState;
  /** The task that is left; null: none. */
  readonly task: BatchTask | null;
  readonly result: object | null;
  /** The next rollback begins at the first assistant. */
  readonly rewind?: boolean;
  readonly finished?: boolean;
}

export interface ChunkCounts {
  readonly cursor: number;
  readonly examined: number;
  readonly migrated: number;
  readonly skipped: number;
  readonly failed: number;
}

/** Rows of batches. A batch may span organizations; callers check access. */
@Injectable()
export class BatchRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(id: string, tx?: Transaction): Promise<Batch | null> {
    const [row] = await this.query<BatchRow>(sql.FIND, [id], tx);
    return row === undefined ? null : batchOf(row);
  }

  /** No other task begins, continues or is queued until the transaction ends. */
  async lockStarts(tx: Transaction): Promise<void> {
    await tx.query(sql.LOCK_STARTS);
  }

  /** Other leased batches with assistants of this scope. */
  async leased(except: string | null, organizationId: string | null, tx: Transaction): Promise<Batch[]> {
    return (await this.query<BatchRow>(sql.LEASED, [except, organizationId], tx)).map(batchOf);
  }

  async unfinished({ organizationId, to }: BatchScope, tx: Transaction): Promise<Batch | null> {
    const [row] = await this.query<BatchRow>(sql.UNFINISHED, [organizationId, to], tx);
    return row === undefined ? null : batchOf(row);
  }

  async insert(batch: NewBatch, tx: Transaction): Promise<void> {
    const { id, organizationId, to, background, batchSize, actor } = batch;
    await tx.query(sql.INSERT_BATCH, [id, organizationId, to, background, batchSize, jsonOf(actor)]);
  }

  async enqueue(id: string, { task, state, forced }: TaskStart, actor: Caller | null, tx: Transaction): Promise<void> {
    await tx.query(sql.ENQUEUE, [id, task, state, forced, jsonOf(actor)]);
  }

  async claim(
    { batchId, token, seconds }: Lease,
    { task, state, forced }: TaskStart,
    background: boolean,
    holder: LeaseHolder,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(sql.CLAIM, [batchId, task, state, forced, background, token, JSON.stringify(holder), seconds]);
  }

  /** A resumed batch takes the new batch size. */
  async resize(id: string, batchSize: number, tx: Transaction): Promise<void> {
    await tx.query(sql.RESIZE, [id, batchSize]);
  }

  /** False when another process holds the lease. Else the batch's row is locked until the transaction ends. */
  async renew({ batchId, token, seconds }: Lease, tx: Transaction): Promise<boolean> {
    const [rows] = await tx.query<[object[], number]>(sql.RENEW, [batchId, token, seconds]);
    return rows.length > 0;
  }

  async countApplied(id: string, counts: ChunkCounts, tx: Transaction): Promise<void> {
    const { cursor, examined, migrated, skipped, failed } = counts;
    await tx.query(sql.COUNT_APPLIED, [id, cursor, examined, migrated, skipped, failed]);
  }

  async countRolledBack(id: string, cursor: number, rolledBack: number, tx: Transaction): Promise<void> {
    await tx.query(sql.COUNT_ROLLED_BACK, [id, cursor, rolledBack]);
  }

  async release({ batchId, token }: Lease, ending: Ending): Promise<void> {
    const { state, task, result, rewind = false, finished = false } = ending;
    await this.query(sql.RELEASE, [batchId, token, state, task, jsonOf(result), rewind, finished]);
  }

  /** Newest first; `organizationId` null: of every scope. */
  async page(organizationId: string | null, { limit, cursor }: PageRequest): Promise<Page<Batch>> {
    const [counted] = await this.query<{ total: number }>(sql.COUNT, [organizationId]);
    const rows = await this.query<BatchRow>(sql.PAGE, [organizationId, uuidCursor(cursor), limit + 1]);
    const page = pageOf(rows, limit, ({ id }) => id);
    return { ...page, items: page.items.map(batchOf), total: counted?.total ?? 0 };
  }

  /** Batches with a task for the server's jobs. */
  async inBackground(): Promise<Batch[]> {
    return (await this.query<BatchRow>(sql.IN_BACKGROUND, [])).map(batchOf);
  }

  private query<Row>(text: string, values: unknown[], tx?: Transaction): Promise<Row[]> {
    return (tx ?? this.dataSource.manager).query(text, values);
  }
}

const jsonOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

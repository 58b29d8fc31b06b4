import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../infrastructure/database';
import type { MadeSeal } from './run-receipts.service';

export interface SegmentRow extends MadeSeal {
  readonly id: string;
  readonly body: Buffer | null;
}

type StoredSegment = Omit<SegmentRow, 'sealed_at'> & { readonly sealed_at: Date };

const rowOf = ({ sealed_at: at, ...row }: StoredSegment): SegmentRow => ({ ...row, sealed_at: at.toISOString() });

const COLUMNS = 'id, body, chain, number, root, previous_root, count, signature, key_id, sealed_at';
const ONE = `SELECT ${COLUMNS} FROM run_segments WHERE id = $1`;
const PAGE = `
  SELECT ${COLUMNS} FROM run_segments
  WHERE organization_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`;
const LOCKED = `SELECT ${COLUMNS} FROM run_segments WHERE id = ANY($1) ORDER BY id FOR UPDATE`;
const REWRITE = `
  UPDATE run_segments SET body = r.body FROM unnest($1::uuid[], $2::bytea[]) AS r(id, body) WHERE run_segments.id = r.id`;
const NEWEST_ROOT = `SELECT root FROM run_segments WHERE organization_id = $1 ORDER BY id DESC LIMIT 1`;

const PAGE_SIZE = 50;
const MOST_LOST = 1_000;
const LOST = `
  SELECT DISTINCT r.segment_id AS id FROM runs r
  WHERE r.organization_id = $1 AND r.segment_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM run_segments s WHERE s.id = r.segment_id) ORDER BY 1 LIMIT ${MOST_LOST}`;

/** Segments are inserted together with the rows of their runs, by `run-sql.ts`. */
@Injectable()
export class RunSegmentRepository {
  constructor(private readonly dataSource: DataSource) {}

  async find(id: string): Promise<SegmentRow | null> {
    const [row] = await this.dataSource.query<StoredSegment[]>(ONE, [id]);
    return row === undefined ? null : rowOf(row);
  }

  /** Oldest first. */
  @AcrossOrganizations('commands')
  async page(organizationId: string, after: string | null): Promise<SegmentRow[]> {
    return (await this.dataSource.query<StoredSegment[]>(PAGE, [organizationId, after, PAGE_SIZE])).map(rowOf);
  }

  /** The first thousand segments that runs name and that are not there. */
  @AcrossOrganizations('commands')
  async lost(organizationId: string): Promise<string[]> {
    return (await this.dataSource.query<{ id: string }[]>(LOST, [organizationId])).map(({ id }) => id);
  }

  @AcrossOrganizations('batches')
  async newestRoot(organizationId: string): Promise<string | null> {
    const [newest] = await this.dataSource.query<{ root: string }[]>(NEWEST_ROOT, [organizationId]);
    return newest?.root ?? null;
  }

  /** Locks in the order of ids, like every statement that locks several segments. */
  async lock(ids: readonly string[], tx: Transaction): Promise<SegmentRow[]> {
    return (await tx.query<StoredSegment[]>(LOCKED, [ids])).map(rowOf);
  }

  async rewrite(ids: readonly string[], bodies: readonly (Buffer | null)[], tx: Transaction): Promise<void> {
    await tx.query(REWRITE, [ids, bodies]);
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';
import { type FoundLine, RunLines, hasLine } from '../runs';

const OLD_RUNS = `created_at < now() - make_interval(days => $2) AND status NOT IN ('queued', 'running')`;

const LINE = 'id, segment_id, segment_position';
const LINES = 'SELECT id, segment_id AS "segmentId", segment_position AS "segmentPosition"';

const EMPTY_RUNS = `
  WITH old AS (
    SELECT id FROM runs
    WHERE organization_id = $1 AND pruned_at IS NULL AND ${OLD_RUNS} AND ($4 OR segment_id IS NULL)
    ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), emptied AS (
    UPDATE runs SET events = '[]', sources = '[]', passages = '[]', report = NULL, plan = NULL, rating_reason = NULL,
      question = NULL, recording = NULL,
      pruned_at = now()
    WHERE id IN (SELECT id FROM old) RETURNING ${LINE}
  ), told AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM old)
  )
  ${LINES} FROM emptied`;

const DELETE_RUNS = `
  WITH old AS (
    SELECT id FROM runs WHERE organization_id = $1 AND ${OLD_RUNS} ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM runs WHERE id IN (SELECT id FROM old) RETURNING ${LINE}
  )
  ${LINES} FROM deleted`;

const DELETE_CONVERSATIONS = `
  WITH old AS (
    SELECT id FROM conversations WHERE organization_id = $1 AND updated_at < now() - make_interval(days => $2)
    ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM conversations WHERE id IN (SELECT id FROM old) RETURNING id
  )
  SELECT id FROM deleted`;

const OLD_FILES = `
  SELECT id, owner_id AS "ownerId", name FROM files
  WHERE organization_id = $1 AND updated_at < now() - make_interval(days => $2) ORDER BY owner_id, id`;

const DEFINITIONS = `
  SELECT metadata, rag_collections AS collections FROM assistants
  WHERE organization_id = $1 AND owner_id = $2 AND deleted_at IS NULL`;

const ORGANIZATIONS = `
  SELECT id FROM organizations WHERE jsonb_typeof(settings #> '{privacy,retention}') = 'object' ORDER BY id`;

export interface OldFile {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
}

/** Data of one organization that is older than its retention allows. */
@Injectable()
export class RetentionRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: RunLines,
  ) {}

  /** Organizations that limit the retention of anything. */
  async organizations(): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(ORGANIZATIONS);
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes the contents of runs in batches of `limit`; each call returns the number of its runs. Runs with a line stay while
   * no receipt can be made.
   */
  async runEmptier(organizationId: string, days: number, limit: number): Promise<(tx: Transaction) => Promise<number>> {
    const { isReady, empty } = await this.lines.emptier();
    return async (tx) => {
      const runs = await tx.query<FoundLine[]>(EMPTY_RUNS, [organizationId, days, limit, isReady]);
      await empty(runs.filter(hasLine), tx);
      return runs.length;
    };
  }

  async deleteRuns(organizationId: string, days: number, limit: number, tx: Transaction): Promise<number> {
    const runs = await tx.query<FoundLine[]>(DELETE_RUNS, [organizationId, days, limit]);
    await this.lines.forget(runs.filter(hasLine), tx);
    return runs.length;
  }

  /** With their messages. */
  async deleteConversations(organizationId: string, days: number, limit: number, tx: Transaction): Promise<number> {
    return (await tx.query<object[]>(DELETE_CONVERSATIONS, [organizationId, days, limit])).length;
  }

  oldFiles(organizationId: string, days: number): Promise<OldFile[]> {
    return this.dataSource.query(OLD_FILES, [organizationId, days]);
  }

  /** JSON texts in which a person's assistants name files. */
  async definitionsOf(organizationId: string, ownerId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ metadata: string; collections: string }[]>(DEFINITIONS, [
      organizationId,
      ownerId,
    ]);
    return rows.flatMap(({ metadata, collections }) => [metadata, collections]);
  }
}

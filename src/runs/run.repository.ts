import { COUNT_LIMIT, type PageRequest, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { AcrossOrganizations, TenantScope } from '../infrastructure/database';
import { REPORT_LIMITS } from './shape-report';
import { RunList } from './run-list.repository';
import { RUN_COLUMNS, RunEntity } from './run.entity';
import { INSERT_ENDED, INSERT_RUNNING, RUN_STATS, TOOL_STATS, toRow } from './run-sql';
import type { RunFilter, RunRating, RunRecord, RunStats } from './run.types';

/** The heaviest columns, which lists do not show. */
const HEAVY: ReadonlySet<string> = new Set(['sources', 'passages', 'events', 'report', 'plan', 'recording', 'receipt']);
const LIST_COLUMNS = RUN_COLUMNS.filter(({ name }) => !HEAVY.has(name)).map(({ property }) => `run.${property}`);

/** The budget of a run limits its calls; this only bounds a read. */
const MAX_NESTED = 200;

const usageOf = ({ promptTokens, completionTokens, totalTokens }: RunEntity): RunRecord['usage'] =>
  totalTokens === null
    ? null
    : { prompt_tokens: promptTokens ?? 0, completion_tokens: completionTokens ?? 0, total_tokens: totalTokens };

function recordOf(row: RunEntity): RunRecord {
  const { promptTokens: _in, completionTokens: _out, totalTokens: _all, ...figures } = row;
  const { costMicros, createdAt, finishedAt, ...columns } = figures;
  const { workerId: _worker, heartbeatAt: _beat, prunedAt: _pruned, ...others } = columns;
  const { cancelRequestedAt: _requested, cancelReason: _reason, report, sources = [], ...rest } = others;
  const { rating, ratingReason, recording: _recording, receipt: _receipt, ...kept } = rest;
  return {
    ...kept,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    usage: usageOf(row),
    costMicros: costMicros === null ? null : Number(costMicros),
    sources,
    passages: row.passages ?? [],
    events: row.events ?? [],
    report: report ? { ...report, sources: sources.slice(0, REPORT_LIMITS.sources) } : null,
    plan: row.plan ?? null,
    rating: rating === null ? null : { value: rating, reason: ratingReason },
    replay: row.replay ?? null,
  };
}

const PRUNE = `
  WITH old AS (
    SELECT id FROM runs
    WHERE pruned_at IS NULL AND created_at < now() - make_interval(days => $1) AND status NOT IN ('queued', 'running')
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), emptied AS (
    UPDATE runs SET events = '[]', sources = '[]', passages = '[]', report = NULL, plan = NULL, rating_reason = NULL,
      question = NULL, recording = NULL,
      pruned_at = now()
    WHERE id IN (SELECT id FROM old) RETURNING id
  ), told AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM old)
  )
  SELECT id FROM emptied`;

/** JSON texts, null when there is none. */
export interface RunPapers {
  readonly recording: string | null;
  readonly receipt: string | null;
}

interface StoredPage {
  readonly records: readonly RunRecord[];
  readonly total: number;
  /** The oldest run that a search looked at; null when it looked at all of them. */
  readonly reach: string | null;
}

const RATE = `
  WITH rated AS (
    UPDATE runs SET rating = $3, rating_reason = $4
    WHERE id = $1 AND user_id = $2 AND parent_run_id IS NULL AND status NOT IN ('queued', 'running') RETURNING id
  )
  SELECT id FROM rated`;

@Injectable()
export class RunRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string): RunScope {
    return new RunScope(this.dataSource.getRepository(RunEntity), organizationId);
  }

  /** One statement with one parameter is the cheapest insert of many rows. */
  @AcrossOrganizations('batches')
  async insertAll(records: readonly RunRecord[]): Promise<void> {
    await this.dataSource.query(INSERT_ENDED, [JSON.stringify(records.map((record) => toRow(record)))]);
  }

  /** Rows of this process's runs, so that other processes can list and cancel them. */
  @AcrossOrganizations('batches')
  async insertRunning(workerId: string, records: readonly RunRecord[]): Promise<void> {
    await this.dataSource.query(INSERT_RUNNING, [JSON.stringify(records.map((record) => toRow(record, workerId)))]);
  }

  /** Null takes the rating back. False without an ended run of this asker. */
  @AcrossOrganizations('calls')
  async rate(id: string, userId: string, rating: RunRating | null): Promise<boolean> {
    const rated = await this.dataSource.query<object[]>(RATE, [id, userId, rating?.value, rating?.reason]);
    return rated.length > 0;
  }

  /** Deletes contents that are older than `days` from at most `limit` runs. Returns their number. */
  @AcrossOrganizations('jobs')
  async prune(days: number, limit: number): Promise<number> {
    const rows = await this.dataSource.query<object[]>(PRUNE, [days, limit]);
    return rows.length;
  }
}

export class RunScope extends TenantScope<RunEntity> {
  /** A run of the organization's assistants, or one that its members asked of another organization's. */
  async record(id: string): Promise<RunRecord | null> {
    const asked = { id, callerOrganizationId: this.organizationId, parentRunId: IsNull() };
    const row = await this.rows.findOneBy([this.where({ id }), asked]);
    return row === null ? null : recordOf(row);
  }

  /** Recording and receipt of a run that `record` finds; null without a row. */
  async papers(id: string): Promise<RunPapers | null> {
    const row = await this.rows.findOne({
      where: [this.where({ id }), { id, callerOrganizationId: this.organizationId, parentRunId: IsNull() }],
      select: { id: true, recording: true, receipt: true },
    });
    return row === null ? null : { recording: row.recording ?? null, receipt: row.receipt ?? null };
  }

  /** Newest first. The cursor is the id of the last run of the page before. */
  async page(filter: RunFilter, page: PageRequest): Promise<StoredPage> {
    const list = new RunList(this.rows, this.organizationId);
    const before = uuidCursor(page.cursor);
    const reach = filter.question === undefined ? null : await list.reach(filter, before);
    const total = await list.count(filter, COUNT_LIMIT, reach);
    const rows = await list.page(filter, LIST_COLUMNS, page.limit + 1, { before, reach });
    return { records: rows.map(recordOf), total, reach };
  }

  /** Runs that a run of this organization started, oldest first, even if another organization pays for them. */
  async nested(parentRunId: string): Promise<readonly RunRecord[]> {
    const rows = await this.rows
      .createQueryBuilder('run')
      .select(LIST_COLUMNS)
      .where('run.parentRunId = :parentRunId', { parentRunId })
      .andWhere('(run.organizationId = :id OR run.callerOrganizationId = :id)', { id: this.organizationId })
      .orderBy('run.id', 'ASC')
      .take(MAX_NESTED)
      .getMany();
    return rows.map(recordOf);
  }

  /** Without their contents. */
  async byIds(ids: readonly string[]): Promise<readonly RunRecord[]> {
    const rows = await this.rows
      .createQueryBuilder('run')
      .select(LIST_COLUMNS)
      .where('run.id = ANY(:ids)', { ids: [...ids] })
      .andWhere('run.organizationId = :id', { id: this.organizationId })
      .getMany();
    return rows.map(recordOf);
  }

  async stats(assistantId: number): Promise<RunStats> {
    const { manager } = this.rows;
    const [figures] = await manager.query<[Omit<RunStats, 'tools'>]>(RUN_STATS, [this.organizationId, assistantId]);
    const tools = await manager.query<RunStats['tools']>(TOOL_STATS, [this.organizationId, assistantId]);
    return { ...figures, tools };
  }
}

import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type SelectQueryBuilder } from 'typeorm';
import { type PageRequest, type Usage, decodeCursor, isUuid } from '../kernel';
import { TenantScope } from '../platform/database';
import type { ShapedReport } from './report/report.types';
import { REPORT_LIMITS } from './report/shape-report';
import { RunEntity } from './run.entity';
import { INSERT_GOING, INSERT_RUNS, TOOL_STATS, RUN_STATS, toRow } from './run-sql';
import type { RunFilter, RunRecord, RunStats } from './run.types';

/** Columns that a list does not need and that weigh the most. */
const LIST_COLUMNS = [
  'id',
  'organizationId',
  'callerOrganizationId',
  'parentRunId',
  'userId',
  'credentialId',
  'assistantId',
  'assistantName',
  'assistantType',
  'strategy',
  'connector',
  'model',
  'stream',
  'status',
  'finishReason',
  'errorCode',
  'createdAt',
  'finishedAt',
  'durationMs',
  'preparedMs',
  'firstTokenMs',
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'tools',
  'background',
] as const;

/** Calls that a run makes are limited by its budget; this only bounds a read. */
const MAX_NESTED = 200;

const usageOf = (row: RunEntity): Usage | null =>
  row.totalTokens === null
    ? null
    : {
        prompt_tokens: row.promptTokens ?? 0,
        completion_tokens: row.completionTokens ?? 0,
        total_tokens: row.totalTokens,
      };

/** Lists do not load it. */
const reportOf = ({ report, sources }: RunEntity): ShapedReport | null =>
  report ? { ...report, sources: sources.slice(0, REPORT_LIMITS.sources) } : null;

const recordOf = (row: RunEntity): RunRecord => ({
  id: row.id,
  organizationId: row.organizationId,
  callerOrganizationId: row.callerOrganizationId,
  parentRunId: row.parentRunId,
  userId: row.userId,
  credentialId: row.credentialId,
  assistantId: row.assistantId,
  assistantName: row.assistantName,
  assistantType: row.assistantType,
  strategy: row.strategy,
  connector: row.connector,
  model: row.model,
  stream: row.stream,
  status: row.status,
  finishReason: row.finishReason,
  errorCode: row.errorCode,
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
  durationMs: row.durationMs,
  preparedMs: row.preparedMs,
  firstTokenMs: row.firstTokenMs,
  usage: usageOf(row),
  tools: row.tools,
  sources: row.sources ?? [],
  events: row.events ?? [],
  report: reportOf(row),
  background: row.background,
  plan: row.plan ?? null,
});

const OWN_OR_ASKED = `run.organizationId = :organizationId OR
  (run.callerOrganizationId = :organizationId AND run.userId = :asker AND run.parentRunId IS NULL)`;

@Injectable()
export class RunRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string): RunScope {
    return new RunScope(this.dataSource.getRepository(RunEntity), organizationId);
  }

  /** All rows in one statement and one parameter: the cheapest way in for many rows. A row that has ended already stays. */
  async insertAll(records: readonly RunRecord[]): Promise<void> {
    await this.dataSource.query(INSERT_RUNS, [JSON.stringify(records.map((record) => toRow(record)))]);
  }

  /** Rows of runs that go on in this process, for other processes to see. A row that exists already stays. */
  async insertGoing(workerId: string, records: readonly RunRecord[]): Promise<void> {
    await this.dataSource.query(INSERT_GOING, [JSON.stringify(records.map((record) => toRow(record, workerId)))]);
  }
}

export class RunScope extends TenantScope<RunEntity> {
  /** A run of the organization's assistants, or one that its members asked of another organization's. */
  async record(id: string): Promise<RunRecord | null> {
    const asked = { id, callerOrganizationId: this.organizationId, parentRunId: IsNull() };
    const row = await this.rows.findOneBy([this.where({ id }), asked]);
    return row === null ? null : recordOf(row);
  }

  /** Newest first. The page starts after the cursor, which is the id of the last run seen. */
  async page(filter: RunFilter, page: PageRequest): Promise<{ records: readonly RunRecord[]; total: number }> {
    const total = await this.matching(filter).getCount();
    const query = this.matching(filter);
    const after = cursorId(page);
    if (after !== null) query.andWhere('run.id < :after', { after });
    const rows = await query
      .select(LIST_COLUMNS.map((column) => `run.${column}`))
      .orderBy('run.id', 'DESC')
      .take(page.limit + 1)
      .getMany();
    return { records: rows.map(recordOf), total };
  }

  /** Runs that ran on behalf of one of this organization's, oldest first, those that another organization pays for included. */
  async nested(parentRunId: string): Promise<readonly RunRecord[]> {
    const rows = await this.rows
      .createQueryBuilder('run')
      .select(LIST_COLUMNS.map((column) => `run.${column}`))
      .where('run.parentRunId = :parentRunId', { parentRunId })
      .andWhere('(run.organizationId = :id OR run.callerOrganizationId = :id)', { id: this.organizationId })
      .orderBy('run.id', 'ASC')
      .take(MAX_NESTED)
      .getMany();
    return rows.map(recordOf);
  }

  async stats(assistantId: number): Promise<RunStats> {
    const { manager } = this.rows;
    const [figures] = await manager.query<[Omit<RunStats, 'tools'>]>(RUN_STATS, [this.organizationId, assistantId]);
    const tools = await manager.query<RunStats['tools']>(TOOL_STATS, [this.organizationId, assistantId]);
    return { ...figures, tools };
  }

  private matching(filter: RunFilter): SelectQueryBuilder<RunEntity> {
    const query = this.rows
      .createQueryBuilder('run')
      .where(filter.asker === undefined ? 'run.organizationId = :organizationId' : `(${OWN_OR_ASKED})`, {
        organizationId: this.organizationId,
        asker: filter.asker,
      });
    if (filter.assistantId !== undefined) query.andWhere('run.assistantId = :assistantId', filter);
    if (filter.status !== undefined) query.andWhere('run.status = :status', filter);
    if (filter.onlyAssistants) query.andWhere('run.assistantId = ANY(:only)', { only: filter.onlyAssistants });
    if (filter.visibleTo !== undefined) {
      query.andWhere(
        '((run.userId = :userId AND run.parentRunId IS NULL) OR run.assistantId = ANY(:assistantIds))',
        filter.visibleTo,
      );
    }
    return query;
  }
}

/** Null on the first page and for a cursor that is none of ours. */
export function cursorId({ cursor }: PageRequest): string | null {
  const [id] = cursor === null ? [] : (decodeCursor(cursor, 1) ?? []);
  return typeof id === 'string' && isUuid(id) ? id : null;
}

import { COUNT_LIMIT, type PageRequest, uuidCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type FindOptionsWhere,
  IsNull,
  type ObjectLiteral,
  type Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import { AcrossOrganizations, TenantScope } from '../infrastructure/database';
import type { SignedReceipt } from './receipts';
import { type FoundLine, RunLines, type SealedRuns, hasLine } from './run-lines';
import { readRecording, recordingOf, withLine } from './run-line';
import { INSERT_ENDED, INSERT_RUNNING, RUN_STATS, TOOL_STATS, rowArrays, segmentArrays, toRow } from './run-sql';
import { RUN_COLUMNS, RunEntity } from './run.entity';
import type { Recording, RunFilter, RunRating, RunRecord, RunStats, UnkeptReason } from './run.types';
import { REPORT_LIMITS } from './shape-report';

/** A page of a search looks at so many of the newest runs: no index finds a part of a text. */
const LOOKED_AT = 20_000;

/** A part of a list, which one index serves in the order of ids. */
interface Part {
  readonly query: SelectQueryBuilder<RunEntity>;
  /** The newest runs of each of these assistants; null: those of the organization. */
  readonly assistantIds: readonly number[] | null;
}

/**
 * Runs that a person may see, newest first. Each right is a part of its own, so that a page reads about as many rows as
 * it returns. Joined by OR, the rights would make the planner read every run of the organization, or of all.
 */
class RunList {
  constructor(
    private readonly rows: Repository<RunEntity>,
    private readonly organizationId: string,
  ) {}

  /**
   * The oldest run that a search of questions looks at, so that no search reads all runs. Null when it looks at all of them.
   * Counted are the runs that an index finds: those that the person may see, of an assistant, person and time. `before` is
   * the last run of the page before.
   */
  async reach(filter: RunFilter, before: string | null): Promise<string | null> {
    const { question: _question, status: _status, hasProblems: _problems, rating: _rating, ...indexed } = filter;
    const parts = this.parts(indexed, null);
    if (before !== null) for (const { query } of parts) query.andWhere('run.id < :before', { before });
    const { sql, parameters } = union(parts, LOOKED_AT);
    const oldest = await this.rows.manager
      .createQueryBuilder()
      .select('id')
      .from(`(SELECT id FROM (${sql}) seen ORDER BY id DESC OFFSET ${LOOKED_AT - 1} LIMIT 1)`, 'oldest')
      .setParameters(parameters)
      .getRawOne<{ id: string }>();
    return oldest?.id ?? null;
  }

  /** The runs before `before` and from `reach` on; null: no bound. */
  page(
    filter: RunFilter,
    columns: string[],
    limit: number,
    { before, reach }: { readonly before: string | null; readonly reach: string | null },
  ): Promise<RunEntity[]> {
    const parts = this.parts(filter, reach);
    if (before !== null) for (const { query } of parts) query.andWhere('run.id < :before', { before });
    const { sql, parameters } = union(parts, limit);
    return this.rows
      .createQueryBuilder('run')
      .select(columns)
      .where(`run.id IN (SELECT id FROM (${sql}) seen ORDER BY id DESC LIMIT ${limit})`)
      .setParameters(parameters)
      .orderBy('run.id', 'DESC')
      .getMany();
  }

  /** Counts up to `limit`, from `reach` on. */
  async count(filter: RunFilter, limit: number, reach: string | null): Promise<number> {
    const { sql, parameters } = union(this.parts(filter, reach), limit);
    const counted = await this.rows.manager
      .createQueryBuilder()
      .select('count(*)::int', 'total')
      .from(`(SELECT FROM (${sql}) seen LIMIT ${limit})`, 'counted')
      .setParameters(parameters)
      .getRawOne<{ total: number }>();
    return counted?.total ?? 0;
  }

  private parts(filter: RunFilter, reach: string | null): Part[] {
    const parts = this.rights(filter);
    if (reach !== null) for (const { query } of parts) query.andWhere('run.id >= :reach', { reach });
    return parts;
  }

  private rights(filter: RunFilter): Part[] {
    const { asker, visibleTo } = filter;
    const parts = visibleTo === undefined ? [this.ofAssistants(filter, filter.onlyAssistants ?? null)] : [];
    if (visibleTo !== undefined) {
      const { userId } = visibleTo;
      const asked = this.own(filter).andWhere('run.userId = :userId AND run.parentRunId IS NULL', { userId });
      const only = filter.onlyAssistants;
      const editable = only ? visibleTo.assistantIds.filter((id) => only.includes(id)) : visibleTo.assistantIds;
      parts.push({ query: asked, assistantIds: null }, this.ofAssistants(filter, editable));
    }
    if (asker !== undefined) {
      const elsewhere = this.matching(filter)
        .andWhere('run.callerOrganizationId = :organizationId', { organizationId: this.organizationId })
        .andWhere('run.userId = :asker AND run.parentRunId IS NULL', { asker });
      if (visibleTo !== undefined) elsewhere.andWhere('run.userId = :userId', { userId: visibleTo.userId });
      parts.push({ query: elsewhere, assistantIds: null });
    }
    return parts;
  }

  private ofAssistants(filter: RunFilter, ids: readonly number[] | null): Part {
    const { assistantId } = filter;
    const wanted = assistantId === undefined ? ids : [assistantId].filter((id) => ids?.includes(id) ?? true);
    return { query: this.own(filter), assistantIds: wanted };
  }

  private own(filter: RunFilter): SelectQueryBuilder<RunEntity> {
    const { organizationId } = this;
    return this.matching(filter).andWhere('run.organizationId = :organizationId', { organizationId });
  }

  private matching(filter: RunFilter): SelectQueryBuilder<RunEntity> {
    const { assistantId, status, onlyAssistants, withoutDrafts } = filter;
    const query = this.rows.createQueryBuilder('run').select('run.id', 'id').where('true');
    if (assistantId !== undefined) query.andWhere('run.assistantId = :assistantId', { assistantId });
    if (status !== undefined) query.andWhere('run.status = :status', { status });
    if (onlyAssistants) query.andWhere('run.assistantId = ANY(:only)', { only: [...onlyAssistants] });
    if (withoutDrafts === true) query.andWhere('NOT run.draft');
    narrow(query, filter);
    return query;
  }
}

function narrow(query: SelectQueryBuilder<RunEntity>, filter: RunFilter): void {
  const { hasProblems, from, to, userId, rating, question } = filter;
  if (hasProblems !== undefined) query.andWhere(hasProblems ? 'run.problems > 0' : 'run.problems = 0');
  if (from !== undefined) query.andWhere('run.id >= :fromId', { fromId: idAt(from) });
  if (to !== undefined) query.andWhere('run.id < :toId', { toId: idAt(to) });
  if (userId !== undefined) query.andWhere('run.userId = :asker_', { asker_: userId });
  if (rating !== undefined) query.andWhere('run.rating = :rating', { rating });
  if (question !== undefined) {
    const text = `%${question.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    query.andWhere('run.question ILIKE :text', { text });
  }
}

/** The least id of a run that began at this time: a UUID of version 7 begins with its time. */
function idAt(time: number): string {
  const hex = Math.max(0, Math.trunc(time)).toString(16).padStart(12, '0').slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

function union(parts: readonly Part[], limit: number): { sql: string; parameters: ObjectLiteral } {
  const parameters: ObjectLiteral = {};
  const texts = parts.map(({ query, assistantIds }, at) => {
    query.orderBy('run.id', 'DESC').limit(limit);
    if (assistantIds !== null) query.andWhere('run.assistantId = each.assistant');
    Object.assign(parameters, query.getParameters());
    if (assistantIds === null) return `(${query.getQuery()})`;
    parameters[`assistants${at}`] = [...assistantIds];
    return `(SELECT newest.id FROM unnest(CAST(:assistants${at} AS int[])) each(assistant)
      CROSS JOIN LATERAL (${query.getQuery()}) newest ORDER BY newest.id DESC LIMIT ${limit})`;
  });
  return { sql: texts.join(' UNION '), parameters };
}

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
  const { segmentId: _segment, segmentPosition: _position, recording: _recording, receipt: _receipt, ...told } = rest;
  const { rating, ratingReason, ...kept } = told;
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
      AND ($3 OR segment_id IS NULL)
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ), emptied AS (
    UPDATE runs SET events = '[]', sources = '[]', passages = '[]', report = NULL, plan = NULL, rating_reason = NULL,
      question = NULL, recording = NULL,
      pruned_at = now()
    WHERE id IN (SELECT id FROM old) RETURNING id, segment_id, segment_position
  ), told AS (
    DELETE FROM run_events WHERE run_id IN (SELECT id FROM old)
  ), asked AS (
    DELETE FROM run_requests WHERE run_id IN (SELECT id FROM old)
  )
  SELECT id, segment_id AS "segmentId", segment_position AS "segmentPosition" FROM emptied`;

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
  constructor(
    private readonly dataSource: DataSource,
    private readonly lines: RunLines,
  ) {}

  within(organizationId: string): RunScope {
    return new RunScope(this.dataSource.getRepository(RunEntity), organizationId, this.lines);
  }

  /** Rows and segments in one statement. */
  @AcrossOrganizations('batches')
  async insertAll({ records, places, segments }: SealedRuns): Promise<void> {
    const rows = records.map((record) => toRow(record, null, places.get(record.id)));
    await this.dataSource.query(INSERT_ENDED, [...rowArrays(rows), ...segmentArrays(segments)]);
  }

  /** Rows of this process's runs, so that other processes can list and cancel them. */
  @AcrossOrganizations('batches')
  async insertRunning(workerId: string, records: readonly RunRecord[]): Promise<void> {
    await this.dataSource.query(INSERT_RUNNING, rowArrays(records.map((record) => toRow(record, workerId))));
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
    const { isReady, empty } = await this.lines.emptier();
    return this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<FoundLine[]>(PRUNE, [days, limit, isReady]);
      await empty(rows.filter(hasLine), tx);
      return rows.length;
    });
  }
}

export class RunScope extends TenantScope<RunEntity> {
  constructor(
    rows: Repository<RunEntity>,
    organizationId: string,
    private readonly lines: RunLines,
  ) {
    super(rows, organizationId);
  }

  /** A run of the organization's assistants, or one that its members asked of another organization's. */
  async record(id: string): Promise<RunRecord | null> {
    const row = await this.rows.findOneBy(this.found(id));
    if (row === null) return null;
    const entry = hasLine(row) && row.prunedAt === null ? await this.lines.read(row) : null;
    return entry !== null && 'line' in entry ? withLine(recordOf(row), entry.line) : recordOf(row);
  }

  /** Recording of a run that `record` finds, or why there is none. */
  async recording(id: string): Promise<Recording | UnkeptReason | 'deleted'> {
    const select = { id: true, recording: true, segmentId: true, segmentPosition: true, prunedAt: true } as const;
    const row = await this.rows.findOne({ where: this.found(id), select });
    if (row === null || row.prunedAt !== null) return 'deleted';
    if (!hasLine(row)) return readRecording(row.recording ?? null);
    const entry = await this.lines.read(row);
    return entry !== null && 'line' in entry ? recordingOf(entry.line) : 'deleted';
  }

  /** Receipt of a run that `record` finds; null when there is none. @throws AppError `secret_unavailable` */
  async receipt(id: string): Promise<SignedReceipt | null> {
    const select = { id: true, receipt: true, segmentId: true, segmentPosition: true } as const;
    const row = await this.rows.findOne({ where: this.found(id), select });
    if (row === null) return null;
    if (hasLine(row)) return this.lines.receipt(row);
    return typeof row.receipt === 'string' ? this.lines.earlierReceipt(row.receipt) : null;
  }

  private found(id: string): FindOptionsWhere<RunEntity>[] {
    return [this.where({ id }), { id, callerOrganizationId: this.organizationId, parentRunId: IsNull() }];
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

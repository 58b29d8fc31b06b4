import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { RunFilter } from './run.types';
import { type RunEntity } from './run.entity';

/** A page of a search looks at so many of the newest runs: no index finds a part of a text. */
export const LOOKED_AT = 20_000;

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
export class RunList {
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

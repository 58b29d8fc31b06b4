import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { AssistantType } from '../definition';
import { acrossOrganizations } from '../../infrastructure/database';
import type { AssistantEntity } from './assistant.entity';
import { EDITED_BY_VIEWER, SHARED_WITH_VIEWER } from './assistant-share-scope.repository';

export interface AssistantFilter {
  /** null sees every assistant of the organization; a user sees own, shared and published ones. */
  readonly visibleTo: string | null;
  /** When set, only these. */
  readonly onlyIds: readonly number[] | null;
  readonly onlyPublished?: boolean;
  readonly ownerId?: string;
  readonly type?: AssistantType;
  /** Part of name or description. */
  readonly text?: string;
  /** `text` finds unpublished changes only where this person may edit; absent for administrators, who edit everything. */
  readonly searcher?: string;
}

/** The name that people see is that of the live version. A scalar subquery is never joined: few rows have two versions. */
const LIVE_MATCHES = `assistant.live_version <> assistant.version AND (
  SELECT live.name ILIKE :text OR live.description ILIKE :text FROM assistant_versions live
  WHERE live.assistant_id = assistant.id AND live.version = assistant.live_version)`;

/** The expression of `assistants_text_idx`. No name has a line break. */
const NEWEST_MATCHES = String.raw`(assistant.name || E'\n' || assistant.description) ILIKE :text`;

/** The condition of `NEWEST_MATCHES` in words that no index serves, for texts that many assistants have. */
const NEWEST_MATCHES_IN_TURN = '(assistant.name ILIKE :text OR assistant.description ILIKE :text)';

/** The newest version is not the live one, and `:viewer` may not read it. */
const HIDES_NEWEST = `(assistant.live_version <> assistant.version AND assistant.owner_id <> :viewer
  AND assistant.id <> ALL(ARRAY(${EDITED_BY_VIEWER})))`;

/** One query for each right: an index serves it in the order of ids. Joined by OR, the planner would read all rows. */
const RIGHTS = [
  'assistant.owner_id = :viewer',
  'assistant.published',
  `assistant.id = ANY(ARRAY(${SHARED_WITH_VIEWER}))`,
] as const;

interface Asked {
  readonly select: string;
  readonly from: string;
  readonly parameters: ObjectLiteral;
}

export interface IdPage {
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
  /** Cursor: only ids after this one in the order. */
  readonly beyond: number | null;
  /**
   * Many assistants have the text: they are read in the order of ids until the page is full. PostgreSQL expects few hits of
   * any text and would read all of them by the index of texts, to sort them.
   */
  readonly isCommon?: boolean;
}

/** Assistants that a person may see. A page reads about as many rows as it returns, however many assistants exist. */
export class VisibleAssistants {
  constructor(
    private readonly rows: Repository<AssistantEntity>,
    private readonly organizationId: string,
  ) {}

  async page(filter: AssistantFilter, { order, limit, beyond, isCommon = false }: IdPage): Promise<AssistantEntity[]> {
    const parts = this.parts(filter, isCommon).map((part) => {
      if (beyond !== null) part.andWhere(`assistant.id ${order === 'ASC' ? '>' : '<'} :beyond`, { beyond });
      return part.orderBy('assistant.id', order).limit(limit);
    });
    const { sql, parameters } = union(parts);
    const seen = `SELECT id FROM (${sql}) seen ORDER BY id ${order} LIMIT ${limit}`;
    const rows = this.rows.createQueryBuilder('assistant');
    if (filter.text === undefined) rows.where(`assistant.id IN (${seen})`).setParameters(parameters);
    else {
      const found = await this.raw<{ id: number }>(filter, { select: 'id', from: seen, parameters });
      if (found.length === 0) return [];
      rows.where('assistant.organization_id = :organization', { organization: this.organizationId });
      rows.andWhere('assistant.id = ANY(:found)', { found: found.map(({ id }) => id) });
    }
    return rows.orderBy('assistant.id', order).getMany();
  }

  /** Counts up to `limit`. */
  async count(filter: AssistantFilter, limit: number): Promise<number> {
    const { sql, parameters } = union(this.parts(filter).map((part) => part.limit(limit)));
    const from = `SELECT FROM (${sql}) seen LIMIT ${limit}`;
    const [counted] = await this.raw<{ total: number }>(filter, { select: 'count(*)::int AS total', from, parameters });
    return counted?.total ?? 0;
  }

  /**
   * Query for ids and counts only. ILIKE is not leakproof, so row-level security keeps PostgreSQL from using an index
   * for it. A search therefore runs across organizations, with the organization as a condition in every part. The rows
   * themselves are read within the organization.
   */
  private raw<Row extends ObjectLiteral>(
    { text }: AssistantFilter,
    { select, from, parameters }: Asked,
  ): Promise<Row[]> {
    const query = this.rows.manager.createQueryBuilder().select(select).from(`(${from})`, 'asked');
    const ask = (): Promise<Row[]> => query.setParameters(parameters).getRawMany<Row>();
    return text === undefined ? ask() : acrossOrganizations('search', ask);
  }

  private parts(filter: AssistantFilter, isCommon = false): SelectQueryBuilder<AssistantEntity>[] {
    const { visibleTo } = filter;
    const isPlain = visibleTo === null || filter.onlyPublished === true || filter.ownerId === visibleTo;
    const ofRight = isPlain
      ? [() => this.matching(filter)]
      : RIGHTS.map((right) => () => this.matching(filter).andWhere(right, { viewer: visibleTo }));
    const { text, searcher } = filter;
    if (text === undefined) return ofRight.map((part) => part());
    const matching = isCommon ? NEWEST_MATCHES_IN_TURN : NEWEST_MATCHES;
    const newest = searcher === undefined ? matching : `${matching} AND ${HIDES_NEWEST} IS NOT TRUE`;
    const given = {
      text: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
      ...(searcher === undefined ? {} : { viewer: searcher }),
    };
    return ofRight.flatMap((part) => [newest, LIVE_MATCHES].map((matches) => part().andWhere(matches, given)));
  }

  /** All conditions are joined by AND to that of the organization. */
  private matching({ onlyIds, onlyPublished, ownerId, type }: AssistantFilter) {
    const query = this.rows
      .createQueryBuilder('assistant')
      .select('assistant.id', 'id')
      .where('assistant.organization_id = :organization', { organization: this.organizationId })
      .andWhere('assistant.deleted_at IS NULL');
    if (onlyIds !== null) query.andWhere('assistant.id = ANY(:only)', { only: [...onlyIds] });
    if (onlyPublished === true) query.andWhere('assistant.published');
    if (ownerId !== undefined) query.andWhere('assistant.owner_id = :owner', { owner: ownerId });
    if (type !== undefined) query.andWhere('assistant.type = :type', { type });
    return query;
  }
}

function union(parts: readonly SelectQueryBuilder<AssistantEntity>[]): { sql: string; parameters: ObjectLiteral } {
  return {
    sql: parts.map((part) => `(${part.getQuery()})`).join(' UNION '),
    parameters: Object.assign({}, ...parts.map((part) => part.getParameters())) as ObjectLiteral,
  };
}

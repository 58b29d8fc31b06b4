import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { AssistantType } from '../../definition';
import type { AssistantEntity } from './assistant.entity';
import { EDITED_BY_VIEWER, SHARED_WITH_VIEWER } from './assistant-share-scope.repository';

export interface AssistantFilter {
  /** null sees every assistant of the organization; a user sees own, shared and published ones. */
  readonly visibleTo: string | null;
  /** When set, no others are seen. */
  readonly onlyIds: readonly number[] | null;
  readonly onlyPublished?: boolean;
  readonly ownerId?: string;
  readonly type?: AssistantType;
  /** Part of name or description. */
  readonly text?: string;
  /** `text` finds unpublished changes only where this person may edit; absent for administrators, who edit everything. */
  readonly searcher?: string;
}

/** The name that people see is that of the live version. */
const LIVE_MATCHES = `(assistant.live_version <> assistant.version AND EXISTS (SELECT FROM assistant_versions live
  WHERE live.assistant_id = assistant.id AND live.version = assistant.live_version
    AND (live.name ILIKE :text OR live.description ILIKE :text)))`;

const NEWEST_MATCHES = '(assistant.name ILIKE :text OR assistant.description ILIKE :text)';

/** The newest version is not the one that people see, and `:viewer` may not read it. */
const HIDES_NEWEST = `(assistant.live_version <> assistant.version AND assistant.owner_id <> :viewer
  AND assistant.id <> ALL(ARRAY(${EDITED_BY_VIEWER})))`;

/** One index serves each right in the order of ids. Joined by OR they would make the planner read all rows of all. */
const RIGHTS = [
  'assistant.owner_id = :viewer',
  'assistant.published',
  `assistant.id = ANY(ARRAY(${SHARED_WITH_VIEWER}))`,
] as const;

export interface IdPage {
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
  /** Ids beyond this one in the order. */
  readonly beyond: number | null;
}

/** Ids that a person sees. A page reads about as many rows as it has, whatever the number of assistants. */
export class VisibleAssistants {
  constructor(
    private readonly rows: Repository<AssistantEntity>,
    private readonly organizationId: string,
  ) {}

  async page(filter: AssistantFilter, { order, limit, beyond }: IdPage): Promise<AssistantEntity[]> {
    const parts = this.parts(filter).map((part) => {
      if (beyond !== null) part.andWhere(`assistant.id ${order === 'ASC' ? '>' : '<'} :beyond`, { beyond });
      return part.orderBy('assistant.id', order).limit(limit);
    });
    const { sql, parameters } = union(parts);
    return this.rows
      .createQueryBuilder('assistant')
      .where(`assistant.id IN (SELECT id FROM (${sql}) seen ORDER BY id ${order} LIMIT ${limit})`)
      .setParameters(parameters)
      .orderBy('assistant.id', order)
      .getMany();
  }

  /** Counts no further than `limit`. */
  async count(filter: AssistantFilter, limit: number): Promise<number> {
    const { sql, parameters } = union(this.parts(filter).map((part) => part.limit(limit)));
    const counted = await this.rows.manager
      .createQueryBuilder()
      .select('count(*)::int', 'total')
      .from(`(SELECT FROM (${sql}) seen LIMIT ${limit})`, 'counted')
      .setParameters(parameters)
      .getRawOne<{ total: number }>();
    return counted?.total ?? 0;
  }

  private parts(filter: AssistantFilter): SelectQueryBuilder<AssistantEntity>[] {
    if (filter.visibleTo === null || filter.onlyPublished === true) return [this.matching(filter)];
    if (filter.ownerId === filter.visibleTo) return [this.matching(filter)];
    return RIGHTS.map((right) => this.matching(filter).andWhere(right, { viewer: filter.visibleTo }));
  }

  /** Every condition is joined by AND to the organization's; the only OR has its own brackets. */
  private matching({ onlyIds, onlyPublished, ownerId, type, text, searcher }: AssistantFilter) {
    const query = this.rows
      .createQueryBuilder('assistant')
      .select('assistant.id', 'id')
      .where('assistant.organization_id = :organization', { organization: this.organizationId })
      .andWhere('assistant.deleted_at IS NULL');
    if (onlyIds !== null) query.andWhere('assistant.id = ANY(:only)', { only: [...onlyIds] });
    if (onlyPublished === true) query.andWhere('assistant.published');
    if (ownerId !== undefined) query.andWhere('assistant.owner_id = :owner', { owner: ownerId });
    if (type !== undefined) query.andWhere('assistant.type = :type', { type });
    if (text !== undefined) {
      const newest = searcher === undefined ? NEWEST_MATCHES : `(${NEWEST_MATCHES} AND ${HIDES_NEWEST} IS NOT TRUE)`;
      query.andWhere(`(${newest} OR ${LIVE_MATCHES})`, {
        text: `%${text.replace(/[\\%_]/g, '\\$&')}%`,
        ...(searcher === undefined ? {} : { viewer: searcher }),
      });
    }
    return query;
  }
}

function union(parts: readonly SelectQueryBuilder<AssistantEntity>[]): { sql: string; parameters: ObjectLiteral } {
  return {
    sql: parts.map((part) => `(${part.getQuery()})`).join(' UNION '),
    parameters: Object.assign({}, ...parts.map((part) => part.getParameters())) as ObjectLiteral,
  };
}

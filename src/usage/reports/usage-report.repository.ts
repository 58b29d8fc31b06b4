import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import { type Figures, FIGURES, type Grouping, type Split, type UsageFilter } from './usage.types';

interface Group {
  /** Columns of a group, by the name that a row gives them. */
  readonly keys: Readonly<Record<string, string>>;
  /** Aggregates beside the figures. */
  readonly also?: string;
  readonly join?: string;
  /** Names for the groups, looked up after the rows are summed. */
  readonly names?: { readonly columns: string; readonly join: string };
}

/** `usage` is a row of `usage_days`, `summed` a group of them. */
const GROUPS: Readonly<Record<Exclude<Grouping, 'day'>, Group>> = {
  assistant: {
    keys: { assistantId: 'usage.assistant_id' },
    also: 'max(usage.assistant_name) AS "storedName"',
    names: {
      // The stored name is all that is left of a deleted assistant.
      columns: 'COALESCE(assistant.name, summed."storedName") AS name',
      join: 'LEFT JOIN assistants assistant ON assistant.organization_id = $1 AND assistant.id = "assistantId"',
    },
  },
  model: { keys: { provider: 'usage.provider', model: 'usage.model' } },
  person: {
    // People of other organizations are not told apart: their names belong to another tenant.
    keys: {
      userId: 'CASE WHEN usage.caller_organization_id IS NULL THEN usage.user_id END',
      callerOrganizationId: 'usage.caller_organization_id',
    },
    names: {
      columns: 'member.name, person.email, caller.name AS "callerOrganizationName"',
      join: `LEFT JOIN members member ON member.organization_id = $1 AND member.user_id = "userId"
             LEFT JOIN users person ON person.id = member.user_id
             LEFT JOIN organizations caller ON caller.id = "callerOrganizationId"`,
    },
  },
  key: {
    keys: { keyId: 'key.id', name: 'key.name' },
    join: 'LEFT JOIN api_keys key ON key.organization_id = usage.organization_id AND key.id = usage.credential_id',
  },
};

/** Double precision holds whole numbers up to 2^53 exactly. */
const SUMS = FIGURES.map((name) => `COALESCE(sum(usage.${name}), 0)::double precision AS ${name}`).join(', ');

const WHERE = `
  WHERE usage.organization_id = $1 AND usage.day BETWEEN $2 AND $3
    AND ($4::integer IS NULL OR usage.assistant_id = $4) AND ($5::text IS NULL OR usage.model = $5)`;

const selected = ({ keys, also }: Group): string =>
  [
    ...Object.entries(keys).map(([name, column]) => `${column} AS "${name}"`),
    ...(also === undefined ? [] : [also]),
  ].join(', ');

function groupQuery(group: Group): string {
  const { keys, join = '', names } = group;
  const ties = Object.keys(keys)
    .map((name) => `summed."${name}" NULLS LAST`)
    .join(', ');
  return `
    WITH summed AS (
      SELECT ${selected(group)}, ${SUMS} FROM usage_days usage ${join} ${WHERE}
       GROUP BY ${Object.values(keys).join(', ')})
    SELECT summed.*, ${names === undefined ? '' : `${names.columns}, `}count(*) OVER ()::integer AS total
      FROM summed ${names?.join ?? ''}
     ORDER BY cost_micros DESC, prompt_tokens + completion_tokens DESC, runs DESC, ${ties}
     LIMIT $6 OFFSET $7`;
}

const DAYS = `
  SELECT to_char(usage.day, 'YYYY-MM-DD') AS day, ${SUMS} FROM usage_days usage ${WHERE}
   GROUP BY usage.day ORDER BY usage.day`;

const splitQuery = (split: Split): string => {
  const { keys, names } = GROUPS[split];
  return `
    WITH summed AS (
      SELECT to_char(usage.day, 'YYYY-MM-DD') AS day, ${selected(GROUPS[split])}, ${SUMS} FROM usage_days usage ${WHERE}
       GROUP BY usage.day, ${Object.values(keys).join(', ')})
    SELECT summed.*${names === undefined ? '' : `, ${names.columns}`} FROM summed ${names?.join ?? ''}
     ORDER BY day, ${Object.keys(keys)
       .map((name) => `summed."${name}"`)
       .join(', ')}`;
};

const TOTALS = `SELECT ${SUMS} FROM usage_days usage ${WHERE}`;

const MODELS = `
  SELECT usage.provider, usage.model, to_char(min(usage.day), 'YYYY-MM-DD') AS "firstDay"
    FROM usage_days usage ${WHERE} AND usage.prompt_tokens + usage.completion_tokens > 0
   GROUP BY usage.provider, usage.model ORDER BY usage.provider, usage.model`;

export type SummedRow = Figures & {
  readonly assistantId?: number | null;
  readonly provider?: string;
  readonly model?: string;
  readonly userId?: string | null;
  readonly email?: string | null;
  readonly callerOrganizationId?: string | null;
  readonly callerOrganizationName?: string | null;
  readonly keyId?: string | null;
  readonly name?: string | null;
};
export type DayRow = Figures & { readonly day: string };

export interface UsedModel {
  readonly provider: string;
  readonly model: string;
  readonly firstDay: string;
}

/** Reads `usage_days`; metering writes it. */
@Injectable()
export class UsageReportRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): UsageReportScope {
    return new UsageReportScope(tx ?? this.dataSource.manager, organizationId);
  }
}

/** Usage that one organization pays for. */
export class UsageReportScope {
  constructor(
    private readonly manager: Transaction,
    private readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A usage scope needs an organization');
  }

  async totals(filter: UsageFilter): Promise<Figures> {
    const [totals] = await this.query<Figures>(TOTALS, filter);
    if (totals === undefined) throw new Error('An aggregate without a group has one row');
    return totals;
  }

  /** Days with usage only, oldest first. */
  days(filter: UsageFilter): Promise<DayRow[]> {
    return this.query(DAYS, filter);
  }

  /** Parts of each day with usage. */
  parts(filter: UsageFilter, split: Split): Promise<(SummedRow & DayRow)[]> {
    return this.query(splitQuery(split), filter);
  }

  /** Groups sorted by cost; `limit` null returns all. */
  async groups(
    filter: UsageFilter,
    by: Exclude<Grouping, 'day'>,
    { limit, offset }: { readonly limit: number | null; readonly offset: number },
  ): Promise<{ readonly rows: SummedRow[]; readonly total: number }> {
    const rows = await this.query<SummedRow & { total: number }>(groupQuery(GROUPS[by]), filter, limit, offset);
    return { rows, total: rows[0]?.total ?? 0 };
  }

  /** Models that were called with tokens. */
  models(filter: UsageFilter): Promise<UsedModel[]> {
    return this.query(MODELS, filter);
  }

  private query<Row>(sql: string, filter: UsageFilter, ...rest: readonly unknown[]): Promise<Row[]> {
    const { from, to, assistantId, model } = filter;
    return this.manager.query(sql, [this.organizationId, from, to, assistantId, model, ...rest]);
  }
}

import { Injectable } from '@nestjs/common';
import { type Caller, integerCursor, pageOf, type PageRequest, textCursor, encodeCursor } from '../../kernel';
import { PriceLists } from '../../metering';
import { OrganizationsService } from '../../organizations';
import { PersonPseudonyms } from '../../organizations';
import { UsageAccess } from './usage-access';
import type { UsageQueryDto, UsageReportDto, UsageRowDto } from './usage.dto';
import { periodOf } from './usage-period';
import { UsageReportRepository, type UsageReportScope } from './usage-report.repository';
import { dayRows, figuresOf, groupRow } from './usage-rows';
import type { Grouping, Split, UsageFilter } from './usage.types';

interface Asked {
  readonly scope: UsageReportScope;
  readonly organizationId: string;
  readonly pseudonymous: boolean;
  readonly filter: UsageFilter;
  readonly by: Grouping;
  readonly split: Split | undefined;
}

type RowPage = Pick<UsageReportDto, 'items' | 'next_cursor' | 'total'>;
/** Without a limit: every row. */
type Window = PageRequest | null;

@Injectable()
export class UsageReports {
  constructor(
    private readonly access: UsageAccess,
    private readonly reports: UsageReportRepository,
    private readonly pseudonyms: PersonPseudonyms,
    private readonly organizations: OrganizationsService,
    private readonly prices: PriceLists,
  ) {}

  /** `window` null returns every row. @throws {AppError} `not_found`, `forbidden`, `validation_failed` */
  async report(caller: Caller, slug: string, query: UsageQueryDto, window: Window): Promise<UsageReportDto> {
    const asked = await this.asked(caller, slug, query);
    const { scope, filter, by, pseudonymous } = asked;
    const [page, totals, models, prices] = await Promise.all([
      this.rows(asked, window),
      scope.totals(filter),
      scope.models(filter),
      this.organizations.runtime(asked.organizationId).then((payer) => this.prices.of(payer)),
    ]);
    return {
      from: filter.from,
      to: filter.to,
      time_zone: 'UTC',
      by,
      currency: prices.currency,
      pseudonymous,
      totals: figuresOf(totals),
      unpriced_models: models
        .filter(({ provider, model, firstDay }) => prices.priceOf(provider, model, firstDay) === null)
        .map(({ provider, model }) => ({ provider, model })),
      ...page,
    };
  }

  private async asked(caller: Caller, slug: string, query: UsageQueryDto): Promise<Asked> {
    const { assistant, model, by, split } = query;
    const view = await this.access.view(caller, slug, {
      ...(assistant === undefined ? {} : { assistant }),
      pseudonymous: query.pseudonymous === 'true',
    });
    const filter = { ...periodOf(query, Date.now()), assistantId: assistant ?? null, model: model ?? null };
    return { ...view, scope: this.reports.within(view.organizationId), filter, by, split };
  }

  private rows(asked: Asked, window: Window): Promise<RowPage> {
    return asked.by === 'day' ? this.days(asked, window) : this.groups(asked, asked.by, window);
  }

  private async days({ scope, filter, split }: Asked, window: Window): Promise<RowPage> {
    const [days, parts] = await Promise.all([
      scope.days(filter),
      split === undefined ? [] : scope.parts(filter, split),
    ]);
    const rows = dayRows(filter, days, parts, split);
    const total = rows.length;
    if (window === null) return { items: rows, next_cursor: null, total };
    const after = textCursor(window.cursor);
    const left = after === null ? rows : rows.filter(({ day = '' }) => day > after);
    const { items, next_cursor } = pageOf(left, window.limit, ({ day = '' }) => day);
    return { items: [...items], next_cursor, total };
  }

  private async groups(asked: Asked, by: Exclude<Grouping, 'day'>, window: Window): Promise<RowPage> {
    const { scope, filter, organizationId, pseudonymous } = asked;
    const offset = Math.max(0, integerCursor(window?.cursor ?? null) ?? 0);
    const limit = window?.limit ?? null;
    const [pseudonymize, { rows, total }] = await Promise.all([
      pseudonymous ? this.pseudonyms.within(organizationId) : null,
      scope.groups(filter, by, { limit, offset }),
    ]);
    const items: UsageRowDto[] = rows.map((row) => groupRow(by, row, pseudonymize));
    const end = offset + items.length;
    return { items, next_cursor: end < total ? encodeCursor([end]) : null, total };
  }
}

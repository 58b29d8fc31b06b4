import {
  AppError,
  type Caller,
  type PageRequest,
  encodeCursor,
  integerCursor,
  isOrganizationAdmin,
  notFound,
  pageOf,
  textCursor,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../assistants';
import { PriceLists } from '../../metering';
import {
  type OrganizationRequest,
  OrganizationsService,
  PersonPseudonyms,
  type Pseudonymize,
} from '../../organizations';
import { type DayRow, type SummedRow, UsageReportRepository, type UsageReportScope } from './usage-report.repository';
import type {
  UsageAssistantDto,
  UsageFiguresDto,
  UsageKeyDto,
  UsageModelDto,
  UsagePartDto,
  UsagePersonDto,
  UsageQueryDto,
  UsageReportDto,
  UsageRowDto,
} from './usage.dto';
import {
  FIGURES,
  type Figures,
  type Grouping,
  NO_USAGE,
  type Period,
  type Split,
  type UsageFilter,
  daysOf,
  periodOf,
} from './usage.types';

interface UsageView {
  readonly organizationId: string;
  /** People and keys are shown with pseudonyms. */
  readonly pseudonymous: boolean;
}

/** Decides who sees which usage. */
@Injectable()
export class UsageAccess {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly assistants: AssistantsService,
  ) {}

  /**
   * Administrators see all, others the usage of an assistant that they may edit, without names.
   * @throws {AppError} `not_found`, `forbidden`
   */
  async view(
    { caller, organizationId }: OrganizationRequest,
    asked: { readonly assistant?: number; readonly pseudonymous: boolean },
  ): Promise<UsageView> {
    const seesAll = isOrganizationAdmin(caller) && caller.assistantIds === null;
    if (!seesAll) await this.assertOwnAssistant(caller, organizationId, asked.assistant);
    const { privacy } = await this.organizations.runtime(organizationId);
    return { organizationId, pseudonymous: !seesAll || asked.pseudonymous || privacy.usage_people === 'pseudonymous' };
  }

  private async assertOwnAssistant(caller: Caller, organizationId: string, id: number | undefined): Promise<void> {
    if (id === undefined) {
      throw new AppError('forbidden', 'Only administrators see all usage; name one of your assistants in `assistant`');
    }
    if (organizationId !== caller.organizationId) throw notFound('Assistant');
    await this.assistants.assertConfigurable(caller, id);
  }
}

const figuresOf = (row: Figures): UsageFiguresDto =>
  Object.fromEntries(FIGURES.map((name) => [name, row[name]])) as unknown as UsageFiguresDto;

const assistantOf = ({ assistantId = null, name = null }: SummedRow): UsageAssistantDto => ({ id: assistantId, name });
const modelOf = ({ provider = '', model = '' }: SummedRow): UsageModelDto => ({ provider, model });

const organizationOf = ({ callerOrganizationId: id = null, callerOrganizationName: name = null }: SummedRow) =>
  id === null ? null : { id, name };

/** `pseudonymize` null shows people and keys with their names. */
function personOf(row: SummedRow, pseudonymize: Pseudonymize | null): UsagePersonDto {
  const organization = organizationOf(row);
  const { userId = null, name = null, email = null } = row;
  if (pseudonymize === null) return { user_id: userId, name, email, pseudonym: null, organization };
  const pseudonym = userId === null ? null : pseudonymize(userId);
  return { user_id: null, name: null, email: null, pseudonym, organization };
}

function keyOf({ keyId = null, name = null }: SummedRow, pseudonymize: Pseudonymize | null): UsageKeyDto {
  if (pseudonymize === null || keyId === null) return { id: keyId, name, pseudonym: null };
  return { id: null, name: null, pseudonym: pseudonymize(keyId) };
}

/** A row of a report that is not by day. */
function groupRow(by: Exclude<Grouping, 'day'>, row: SummedRow, pseudonymize: Pseudonymize | null): UsageRowDto {
  const figures = figuresOf(row);
  if (by === 'assistant') return { assistant: assistantOf(row), ...figures };
  if (by === 'model') return { model: modelOf(row), ...figures };
  if (by === 'person') return { person: personOf(row, pseudonymize), ...figures };
  return { key: keyOf(row, pseudonymize), ...figures };
}

const partOf = (split: Split, row: SummedRow): UsagePartDto =>
  split === 'model' ? { model: modelOf(row), ...figuresOf(row) } : { assistant: assistantOf(row), ...figuresOf(row) };

/** One row per day of the period, with zeros where nothing was used. */
function dayRows(
  period: Period,
  days: readonly DayRow[],
  parts: readonly (SummedRow & DayRow)[],
  split: Split | undefined,
): UsageRowDto[] {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const partsByDay = new Map<string, UsagePartDto[]>();
  for (const row of split === undefined ? [] : parts) {
    partsByDay.set(row.day, [...(partsByDay.get(row.day) ?? []), partOf(split as Split, row)]);
  }
  return daysOf(period).map((day) => ({
    day,
    ...figuresOf(byDay.get(day) ?? NO_USAGE),
    ...(split === undefined ? {} : { parts: partsByDay.get(day) ?? [] }),
  }));
}

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
  async report(at: OrganizationRequest, query: UsageQueryDto, window: Window): Promise<UsageReportDto> {
    const asked = await this.asked(at, query);
    const { scope, filter, by, pseudonymous } = asked;
    const [page, totals, models, payer] = await Promise.all([
      this.rows(asked, window),
      scope.totals(filter),
      scope.models(filter),
      this.organizations.runtime(asked.organizationId),
    ]);
    const prices = await this.prices.of(payer);
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

  private async asked(at: OrganizationRequest, query: UsageQueryDto): Promise<Asked> {
    const { assistant, model, by, split } = query;
    const view = await this.access.view(at, {
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

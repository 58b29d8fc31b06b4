import { type Caller, integerCursor, type Page, type PageRequest, encodeCursor } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type QuotaUsage, QuotaUsageService, PriceLists } from '../metering';
import { OrganizationsService, type RuleSubject } from '../organizations';
import { type Pseudonymize, PersonPseudonyms } from '../organizations';
import type { LimitStandingDto, MyLimitsDto, StandingSubjectDto } from './limit-standing.dto';
import { SubjectNamesRepository } from './subject-names.repository';

type Names = ReadonlyMap<string, string>;

const MICROS = 1_000_000;
const FULL = 100;

/** Limits as administrators see them, and as a caller sees their own. */
@Injectable()
export class QuotaReportService {
  constructor(
    private readonly quotaUsage: QuotaUsageService,
    private readonly organizations: OrganizationsService,
    private readonly prices: PriceLists,
    private readonly names: SubjectNamesRepository,
    private readonly pseudonyms: PersonPseudonyms,
  ) {}

  /** Nearest to their end first. */
  async of(organizationId: string, { limit, cursor }: PageRequest): Promise<Page<LimitStandingDto>> {
    const all = await this.quotaUsage.of(organizationId);
    const start = Math.max(0, integerCursor(cursor) ?? 0);
    const some = all.slice(start, start + limit);
    const { privacy } = await this.organizations.runtime(organizationId);
    const [names, pseudonymize] = await Promise.all([
      this.names.within(organizationId).of(some.map(({ subject }) => idsOf(subject).id ?? '')),
      privacy.usage_people === 'pseudonymous' ? this.pseudonyms.within(organizationId) : null,
    ]);
    const end = start + some.length;
    return {
      items: some.map((standing) => presented(standing, subjectOf(standing.subject, names, pseudonymize))),
      next_cursor: end < all.length ? encodeCursor([end]) : null,
      total: all.length,
    };
  }

  /** Rules that count the caller, their groups or their key, nearest to their end first. */
  async mine(caller: Caller): Promise<MyLimitsDto> {
    const { organizationId } = caller;
    const [all, payer] = await Promise.all([
      this.quotaUsage.ofCaller(caller),
      this.organizations.runtime(organizationId),
    ]);
    const names = await this.names.within(organizationId).of(all.map(({ subject }) => idsOf(subject).id ?? ''));
    const items = all.map((standing) => presented(standing, subjectOf(standing.subject, names, null)));
    return { currency: (await this.prices.of(payer)).currency, items };
  }
}

/** `person/<id>/<hash>` counts an end user behind a key. */
function idsOf(subject: string): { readonly kind: RuleSubject; readonly id: string | null } {
  const [kind, id = null] = subject.split('/');
  return { kind: kind as RuleSubject, id };
}

function subjectOf(subject: string, names: Names, pseudonymize: Pseudonymize | null): StandingSubjectDto {
  const { kind, id } = idsOf(subject);
  const isIdentity = kind === 'person' || kind === 'key';
  const endUser = subject.split('/')[2] ?? null;
  if (isIdentity && pseudonymize !== null && id !== null) {
    return { kind, id: null, name: null, pseudonym: endUser ?? pseudonymize(id) };
  }
  return { kind, id, name: endUser === null ? (names.get(`${kind}/${id}`) ?? null) : null, pseudonym: endUser };
}

/** The amount is that of the rule: a counter keeps the amount of its last run. */
function presented({ rule, ...standing }: QuotaUsage, subject: StandingSubjectDto): LimitStandingDto {
  const { windowStart, windowEnd, warnings } = standing;
  const unit = rule.limit === 'cost' ? MICROS : 1;
  const [used, reserved] = [standing.used / unit, standing.reserved / unit];
  const taken = used + reserved;
  return {
    rule: { id: rule.id, limit: rule.limit, per: rule.per ?? null, at_end: rule.at_end ?? 'stop' },
    subject,
    amount: rule.amount,
    used,
    reserved,
    remaining: Math.max(0, rule.amount - taken),
    percent: rule.amount === 0 ? FULL : Math.floor((taken / rule.amount) * FULL),
    from: windowEnd === null ? null : windowStart.toISOString(),
    to: windowEnd?.toISOString() ?? null,
    warnings: warnings.map(({ percent, at }) => ({ percent, at })),
  };
}

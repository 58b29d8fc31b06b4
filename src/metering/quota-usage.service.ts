import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { GroupMemberships, type LimitRule, OrganizationsService } from '../organizations';
import { type AppliedRule, appliedRules } from './applied-rules';
import { StorageLimits, storageRules } from './storage-limits.service';
import { type CounterRow, QuotaUsageRepository } from './quota-usage.repository';

/** A rule, one of its subjects, and what is used of it now. Cost is in millionths of the currency. */
export interface QuotaUsage extends Omit<CounterRow, 'ruleId'> {
  readonly rule: LimitRule;
}

const NO_WINDOW = { reserved: 0, windowStart: new Date(0), windowEnd: null, warnings: [] } as const;

/** Counters that one answer holds. */
const MAX_STANDINGS = 1_000;

/** Standings of limits in their current windows. */
@Injectable()
export class QuotaUsageService {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly counters: QuotaUsageRepository,
    private readonly groups: GroupMemberships,
    private readonly storage: StorageLimits,
  ) {}

  /** Subjects that have used something, nearest to their end first; at most 1 000. */
  async of(organizationId: string): Promise<readonly QuotaUsage[]> {
    const { limits } = await this.organizations.runtime(organizationId);
    const rules = new Map((limits.rules ?? []).map((rule) => [rule.id, rule]));
    if (rules.size === 0) return [];
    const rows = await this.counters.current(organizationId, [...rules.keys()], MAX_STANDINGS);
    const counted = rows.flatMap(({ ruleId, ...row }) => {
      const rule = rules.get(ruleId);
      return rule === undefined ? [] : [{ ...row, rule }];
    });
    return [...counted, ...(await this.stored(organizationId, storageRules(limits)))];
  }

  /** Rules for each person are left out: their bytes are counted when somebody uploads. */
  private async stored(organizationId: string, rules: readonly LimitRule[]): Promise<readonly QuotaUsage[]> {
    const standings: QuotaUsage[] = [];
    for (const rule of rules) {
      const { kind, id = null } = rule.for;
      if (kind === 'person' && id === null) continue;
      const subject = id === null ? kind : `${kind}/${id}`;
      const used = await this.storage.used(organizationId, id);
      standings.push({ rule, subject, amount: rule.amount, used, ...NO_WINDOW });
    }
    return standings;
  }

  /** Rules that count the caller, their groups or their key, nearest to their end first. Unused rules are included. */
  async ofCaller(caller: Caller): Promise<readonly QuotaUsage[]> {
    const { organizationId } = caller;
    const { limits } = await this.organizations.runtime(organizationId);
    const groupIds = () => this.groups.idsOf(caller.userId, organizationId);
    const run = { caller, assistantId: null, stream: true, nested: false, groupIds };
    const applied = (await appliedRules(limits, run, new Date())).filter(
      ({ rule }) => rule.for.kind !== 'organization',
    );
    if (applied.length === 0) return [];
    const ids = applied.map(({ rule }) => rule.id);
    const subjects = applied.map(({ subject }) => subject);
    const counters = await this.counters.ofSubjects(organizationId, ids, subjects);
    const taken = ({ used, reserved, amount }: QuotaUsage): number => (used + reserved) / Math.max(1, amount);
    return applied.map((each) => standingOf(each, counters)).sort((one, other) => taken(other) - taken(one));
  }
}

const standingOf = ({ rule, subject, start, end, amount }: AppliedRule, counters: readonly CounterRow[]) => {
  const {
    used = 0,
    reserved = 0,
    warnings = [],
  } = counters.find((counter) => counter.ruleId === rule.id && counter.subject === subject) ?? {};
  return { rule, subject, amount, used, reserved, windowStart: start, windowEnd: end, warnings };
};

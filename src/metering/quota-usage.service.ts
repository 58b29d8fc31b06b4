import { AppError, type Caller, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../infrastructure/database';
import { GroupMemberships, type LimitRule, type LimitSettings, OrganizationsService } from '../organizations';
import { type AppliedRule, appliedRules } from './applied-rules';
import { LimitLeases } from './limit-leases.service';
import { type CounterRow, QuotaUsageRepository, StorageLocks } from './quota-usage.repository';

/** Stored bytes of one kind: uploaded files, documents of knowledge bases. */
interface StorageSource {
  readonly name: string;
  /** Bytes of one owner, or of the organization when `ownerId` is null. Sees the rows of `tx`. */
  bytes(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number>;
}

/**
 * Run it in the transaction that has written the rows of an upload: it counts them, and a refusal rolls them back.
 * @throws AppError `storage_limit_reached`
 */
export type StorageCheck = (tx: Transaction) => Promise<void>;

/** Checks rules for `storage` when bytes are added. The modules that store bytes declare them here. */
@Injectable()
export class StorageLimits {
  private readonly sources: StorageSource[] = [];

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly locks: StorageLocks,
  ) {}

  declare(source: StorageSource): void {
    this.sources.push(source);
  }

  /** The check for an upload of `owner`. Ask for it before the transaction: it may read settings. */
  async checkFor({ organizationId, userId }: Principal): Promise<StorageCheck> {
    const { limits } = await this.organizations.runtime(organizationId);
    const rules = storageRules(limits).filter(({ for: { id } }) => id === undefined || id === userId);
    return async (tx) => {
      if (rules.length > 0) await this.locks.lock(organizationId, tx);
      for (const rule of rules) {
        const used = await this.used(organizationId, rule.for.kind === 'person' ? userId : null, tx);
        if (used > rule.amount) throw full(rule);
      }
    };
  }

  /** Bytes of the organization, or of one person in it. */
  async used(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number> {
    let sum = 0;
    for (const source of this.sources) sum += await source.bytes(organizationId, ownerId, tx);
    return sum;
  }
}

const storageRules = ({ rules }: LimitSettings): readonly LimitRule[] =>
  Array.isArray(rules) ? (rules as readonly LimitRule[]).filter(({ limit }) => limit === 'storage') : [];

function full({ id, amount, for: { kind } }: LimitRule): AppError {
  const subject = kind === 'person' ? 'of each person' : 'of the organization';
  const detail = `The limit "${id}" leaves no space: files and documents ${subject} may have ${amount} bytes. Delete some first`;
  return new AppError('storage_limit_reached', detail, { reason: 'storage.full', values: { bytes: amount } });
}

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
    private readonly leases: LimitLeases,
  ) {}

  /** Subjects that have used something, nearest to their end first; at most 1 000. */
  async of(organizationId: string): Promise<readonly QuotaUsage[]> {
    const { limits } = await this.organizations.runtime(organizationId);
    const rules = new Map((limits.rules ?? []).map((rule) => [rule.id, rule]));
    if (rules.size === 0) return [];
    await this.leases.report();
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
    await this.leases.report();
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

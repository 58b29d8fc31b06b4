import { AppError, type Caller, assertCurrent, invalid, existing } from '@bellwether/kernel';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import { Signals } from '../../infrastructure/signals';
import { limitProblems } from '../settings/limit-problems';
import {
  type SettingsChange,
  SettingsChecks,
  type SettingsPatch,
  applyPatch,
  sealedSettings,
} from '../settings/settings-validation';
import { type OrganizationSettings, fieldOf } from '../settings/settings.types';
import type { OrganizationEntity } from '../organization.entity';
import { OrganizationRepository } from '../organization.repository';
import type { OrganizationDto } from '../organization-answer.dto';
import { viewOf } from '../organization-view';

const CHANGED = 'organization.changed';

type Listener = (organizationId: string) => void;

/** A member with a new role or state. */
interface ChangedMember {
  readonly organizationId: string;
  readonly userId: string;
  /** The directory deleted the account: its credentials stay dead when it is enabled again. */
  readonly hasEnded?: true;
}
type MemberListener = (member: ChangedMember, tx: Transaction) => Promise<void>;

/**
 * Tells caches about changes of an organization, its settings, members or credentials. Caches of other replicas get a
 * signal; without it they expire after 5 s.
 */
@Injectable()
export class OrganizationChanges {
  private readonly listeners = new Set<Listener>();
  private readonly memberListeners = new Set<MemberListener>();

  constructor(private readonly signals: Signals) {
    signals.on(CHANGED, (organizationId) => this.tell(organizationId));
  }

  on(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** Call it after the commit, never inside the transaction. */
  announce(organizationId: string): void {
    this.signals.publish(CHANGED, organizationId);
  }

  /** Runs inside the transaction of the change: for data that ends with a role. */
  onMember(listener: MemberListener): void {
    this.memberListeners.add(listener);
  }

  async memberChanged(member: ChangedMember, tx: Transaction): Promise<void> {
    for (const listener of this.memberListeners) await listener(member, tx);
  }

  private tell(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}

/** Locked rules by id; their order does not matter. */
const lockedOf = ({ limits }: OrganizationSettings): ReadonlyMap<string, object> =>
  new Map((limits?.rules ?? []).flatMap((rule) => (rule.locked === true ? [[rule.id, rule]] : [])));

/** True when both settings have equal weights and locked rules, and the terms and prices that those depend on. */
export function sameLocked(before: OrganizationSettings, after: OrganizationSettings): boolean {
  if (before.limits?.weight !== after.limits?.weight) return false;
  if (!isDeepStrictEqual(lockedOf(before), lockedOf(after))) return false;
  const locked = (before.limits?.rules ?? []).filter((rule) => rule.locked === true);
  const keepsTerms = locked.some(({ per }) => per === 'term');
  const keepsPrices = locked.some(({ limit }) => limit === 'cost');
  return (
    (!keepsTerms || isDeepStrictEqual(before.limits?.terms, after.limits?.terms)) &&
    (!keepsPrices || isDeepStrictEqual(before.prices, after.prices))
  );
}

/** Changed parts, as administrators see them. */
const touched = (view: OrganizationDto, patch: SettingsPatch): object =>
  Object.fromEntries(Object.entries(view).filter(([part]) => part in patch));

/** `caller` null is an operator command. @throws {AppError} `validation_failed`, `forbidden` */
function assertLimits(caller: Caller | null, before: OrganizationSettings, after: OrganizationSettings): void {
  const problems = limitProblems(after);
  if (problems.length > 0) throw invalid(problems);
  if (caller === null || caller.systemAdmin || sameLocked(before, after)) return;
  throw new AppError(
    'forbidden',
    'Only system administrators may change the weight, or a locked rule, its terms and the prices that it counts with',
    { reason: 'role.system_admin' },
  );
}

@Injectable()
export class SettingsService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly transactions: Transactions,
    private readonly secrets: SecretsService,
    private readonly checks: SettingsChecks,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /**
   * Merges a patch (RFC 7396). `organizationId` comes from `OrganizationsService.administered`, which checks the
   * rights. `expected` null accepts any version. An equal patch makes no version.
   * @throws {AppError} `validation_failed`, `outbound_refused`, `secret_unavailable`, `precondition_failed`, `forbidden`
   */
  async patch(caller: Caller | null, organizationId: string, body: unknown, expected: number | null): Promise<void> {
    const patch = this.checks.valid(body);
    // Reject a stale version before taking the row lock; check it again under the lock.
    const read = await this.organizations.findById(organizationId);
    if (read !== null) assertCurrent(expected, read.version);
    await this.checks.assertDialable(patch);
    await this.transactions.run(async (tx) => {
      const old = existing(await this.organizations.lock(organizationId, tx), 'Organization');
      assertCurrent(expected, old.version);
      const change = applyPatch(old.settings, patch);
      assertLimits(caller, old.settings, change.settings);
      const settings = await sealedSettings(change, (field, plain) =>
        this.secrets.seal(organizationId, field, plain, tx),
      );
      const { name = old.name } = patch;
      if (name === old.name && isDeepStrictEqual(settings, old.settings)) return;
      const updated = await this.organizations.advance(old, { name, settings }, tx);
      await this.record(caller, { patch, old, updated, change }, tx);
    });
    this.changes.announce(organizationId);
  }

  private async record(
    caller: Caller | null,
    done: { patch: SettingsPatch; old: OrganizationEntity; updated: OrganizationEntity; change: SettingsChange },
    tx: Transaction,
  ): Promise<void> {
    const { patch, old, updated, change } = done;
    await this.audit.record(
      {
        caller,
        organizationId: old.id,
        action: 'organization.update',
        target: { type: 'organization', id: old.id },
        before: touched(viewOf(old), patch),
        after: {
          ...touched(viewOf(updated), patch),
          // Names only: the audit records that a secret was set or cleared, never its value.
          entered: change.fresh.map(({ slot }) => fieldOf(slot)),
          cleared: change.cleared.map(fieldOf),
        },
      },
      tx,
    );
  }
}

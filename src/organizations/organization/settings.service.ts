import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AppError, assertCurrent, type Caller, invalid, notFound } from '../../kernel';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { SecretsService } from '../../infrastructure/secrets';
import { OrganizationChanges } from './organization-changes';
import type { OrganizationDto } from '../views/organization-answer.dto';
import { viewOf } from '../views/organization-view';
import type { OrganizationEntity } from '../storage/organization.entity';
import { OrganizationRepository } from '../storage/organization.repository';
import { limitProblems } from '../settings/limit-problems';
import { sameLocked } from '../settings/locked-rules';
import { applyPatch, sealedSettings, type SettingsChange } from '../settings/settings-merge';
import { SettingsChecks } from '../settings/settings-checks.service';
import type { SettingsPatch } from '../settings/settings-validation';
import { fieldOf, type OrganizationSettings } from '../settings/settings.types';

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
      const old = await this.organizations.lock(organizationId, tx);
      if (old === null) throw notFound('Organization');
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

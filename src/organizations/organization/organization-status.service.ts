import { AppError, type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { Transactions } from '../../infrastructure/database';
import { OrganizationChanges } from './settings.service';
import { OrganizationRepository } from '../organization.repository';
import { featuresOf } from '../runtime.builder';
import type { Features } from '../settings/settings.types';

/** State that decides whether an organization takes part in a call. */
export interface OrganizationStatus {
  readonly id: string;
  readonly slug: string;
  readonly suspended: boolean;
  readonly features: Features;
  readonly limits: Readonly<Record<string, unknown>>;
}

/** Reads state without a cache, for decisions that must hold at once. */
@Injectable()
export class OrganizationStatusService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Standings by id; unknown organizations are missing. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationStatus>> {
    const rows = await this.organizations.findAll([...new Set(ids)]);
    return new Map(
      rows.map(({ id, slug, suspended, settings }) => [
        id,
        { id, slug, suspended, features: featuresOf(settings), limits: settings.limits ?? {} },
      ]),
    );
  }

  /**
   * Suspends or resumes an organization. For system administrators.
   * @throws {AppError} `not_found`, `conflict` for the system organization
   */
  async suspend(caller: Caller, slug: string, suspended: boolean): Promise<void> {
    const found = await this.organizations.findBySlug(slug);
    if (found === null) throw notFound('Organization');
    if (found.isSystem && suspended)
      throw new AppError('conflict', "The operator's own organization keeps running", {
        reason: 'organization.operators',
      });
    await this.transactions.run(async (tx) => {
      const old = await this.organizations.lock(found.id, tx);
      if (old === null) throw notFound('Organization');
      if (old.eraseAfter !== null)
        throw new AppError('conflict', 'This organization has ended; restore it first', {
          reason: 'organization.ended',
        });
      if (old.suspended === suspended) return;
      await this.organizations.advance(old, { suspended }, tx);
      const target = { type: 'organization', id: old.id };
      const action = suspended ? 'organization.suspend' : 'organization.resume';
      await this.audit.record({ caller, organizationId: old.id, action, target, after: { suspended } }, tx);
    });
    this.changes.announce(found.id);
  }
}

import { Injectable } from '@nestjs/common';
import { AppError, type Caller, notFound } from '../../kernel';
import { AuditLog } from '../../platform/audit';
import { type Transaction, Transactions } from '../../platform/database';
import type { OrganizationEntity } from '../storage/organization.entity';
import { OrganizationRepository } from '../storage/organization.repository';
import { OrganizationChanges } from './organization-changes';

const DAY_MS = 24 * 60 * 60_000;

/** An organization whose erasure has begun. */
export interface ErasedOrganization {
  readonly id: string;
  readonly slug: string;
  readonly endedAt: string;
  readonly endedBy: string | null;
  /** Erased rows by table. */
  readonly erased: Readonly<Record<string, number>>;
}

/**
 * The end of an organization: suspension, grace period, restoration. The privacy room erases it afterwards and counts
 * here.
 */
@Injectable()
export class OrganizationEndings {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /**
   * Suspends an organization and has it erased after the grace period. An organization that has ended stays as it is.
   * @throws {AppError} `not_found`, `conflict` for the system organization
   */
  async end(caller: Caller, slug: string, graceDays: number): Promise<void> {
    await this.change(slug, async (old, tx) => {
      if (old.isSystem)
        throw new AppError('conflict', "The operator's own organization cannot be ended", {
          reason: 'organization.operators',
        });
      if (old.eraseAfter !== null) return;
      const eraseAfter = new Date(Date.now() + graceDays * DAY_MS);
      const ending = { endedAt: new Date().toISOString(), endedBy: caller.userId, wasSuspended: old.suspended };
      await this.organizations.advance(old, { suspended: true, eraseAfter, ending }, tx);
      await this.record(caller, old.id, 'organization.end', { erase_after: eraseAfter.toISOString() }, tx);
    });
  }

  /** @throws {AppError} `not_found`, `conflict` for one that has not ended or whose erasure has begun */
  async restore(caller: Caller, slug: string): Promise<void> {
    await this.change(slug, async (old, tx) => {
      const { ending } = old;
      if (ending === null)
        throw new AppError('conflict', 'This organization has not ended', { reason: 'organization.not_ended' });
      if (ending.erasingSince !== undefined)
        throw new AppError('conflict', 'The erasure of this organization has begun; it cannot be restored', {
          reason: 'organization.erasing',
        });
      const suspended = ending.wasSuspended;
      await this.organizations.advance(old, { suspended, eraseAfter: null, ending: null }, tx);
      await this.record(caller, old.id, 'organization.restore', { suspended }, tx);
    });
  }

  /** Ids of organizations whose grace period is over. */
  due(): Promise<string[]> {
    return this.organizations.endedBefore(new Date());
  }

  /** From now on nothing can be restored. Null for an organization that is gone, restored or not due. */
  beginErasure(id: string): Promise<ErasedOrganization | null> {
    return this.transactions.run(async (tx) => {
      const row = await this.organizations.lock(id, tx);
      if (row?.ending == null || row.eraseAfter === null || row.eraseAfter.getTime() > Date.now()) return null;
      const erasingSince = row.ending.erasingSince ?? new Date().toISOString();
      await this.organizations.setEnding(id, { ...row.ending, erasingSince }, tx);
      return erasedOf(row);
    });
  }

  /** In the transaction that deletes the rows, so that a repeated step counts each row once. */
  async countErased(id: string, table: string, rows: number, tx: Transaction): Promise<void> {
    const row = rows === 0 ? null : await this.organizations.lock(id, tx);
    if (row?.ending == null) return;
    const { erased = {} } = row.ending;
    await this.organizations.setEnding(
      id,
      { ...row.ending, erased: { ...erased, [table]: (erased[table] ?? 0) + rows } },
      tx,
    );
  }

  /** Removes the organization itself; an entry of the system organization keeps the counts. Null when it is gone. */
  async finish(id: string): Promise<ErasedOrganization | null> {
    const system = await this.organizations.findSystem();
    const done = await this.transactions.run(async (tx) => {
      const row = await this.organizations.lock(id, tx);
      if (row?.ending == null || system === null) return null;
      const report = erasedOf(row);
      await this.organizations.remove(id, tx);
      const { slug, endedAt: ended_at, endedBy: ended_by, erased } = report;
      await this.audit.record(
        {
          caller: null,
          organizationId: system.id,
          action: 'organization.erase',
          target: { type: 'organization', id },
          after: { slug, ended_at, ended_by, erased },
        },
        tx,
      );
      return report;
    });
    this.changes.announce(id);
    return done;
  }

  private async change(slug: string, work: (old: OrganizationEntity, tx: Transaction) => Promise<void>): Promise<void> {
    const found = await this.organizations.findBySlug(slug);
    if (found === null) throw notFound('Organization');
    await this.transactions.run(async (tx) => {
      const old = await this.organizations.lock(found.id, tx);
      if (old === null) throw notFound('Organization');
      await work(old, tx);
    });
    this.changes.announce(found.id);
  }

  private record(caller: Caller, id: string, action: string, after: object, tx: Transaction): Promise<void> {
    return this.audit.record({ caller, organizationId: id, action, target: { type: 'organization', id }, after }, tx);
  }
}

function erasedOf({ id, slug, ending }: OrganizationEntity): ErasedOrganization {
  return {
    id,
    slug,
    endedAt: ending?.endedAt ?? '',
    endedBy: ending?.endedBy ?? null,
    erased: ending?.erased ?? {},
  };
}

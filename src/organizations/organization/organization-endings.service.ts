import { AppError, type Caller, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import type { MailLanguage } from '../../infrastructure/mail';
import type { OrganizationEntity } from '../organization.entity';
import { OrganizationRepository } from '../organization.repository';
import { OrganizationChanges } from './settings.service';

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

export interface Ending {
  /** Days in which it can be restored. */
  readonly graceDays: number;
  /** Language of the notice to the members. */
  readonly language: MailLanguage;
}

export interface EndedOrganization {
  readonly id: string;
  readonly eraseAfter: Date;
}

export interface RestoredOrganization {
  readonly id: string;
  /** True when it was suspended before it ended. */
  readonly suspended: boolean;
}

/** An organization that has ended or was restored. */
export interface ChangedEnding {
  readonly id: string;
  /** False when it was restored. */
  readonly hasEnded: boolean;
  /** Language of the notice to the members. */
  readonly language: MailLanguage;
}

type EndingListener = (change: ChangedEnding, tx: Transaction) => Promise<void>;

/**
 * The end of an organization: suspension, grace period, restoration. The privacy module erases it afterwards and counts
 * here.
 */
@Injectable()
export class OrganizationEndings {
  private readonly listeners = new Set<EndingListener>();

  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Runs inside the transaction of an end or a restoration. */
  onChange(listener: EndingListener): void {
    this.listeners.add(listener);
  }

  /**
   * Suspends or resumes an organization. For system administrators.
   * @throws {AppError} `not_found`, `conflict` for the system organization
   */
  async suspend(caller: Caller, slug: string, suspended: boolean): Promise<void> {
    const found = existing(await this.organizations.findBySlug(slug), 'Organization');
    if (found.isSystem && suspended)
      throw new AppError('conflict', "The operator's own organization keeps running", {
        reason: 'organization.operators',
      });
    await this.transactions.run(async (tx) => {
      const old = existing(await this.organizations.lock(found.id, tx), 'Organization');
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

  /**
   * Suspends an organization and has it erased after the grace period. An organization that has ended stays as it is.
   * @throws {AppError} `not_found`, `conflict` for the system organization
   */
  async end(caller: Caller | null, slug: string, { graceDays, language }: Ending): Promise<EndedOrganization> {
    return this.change(slug, async (old, tx) => {
      if (old.isSystem)
        throw new AppError('conflict', "The operator's own organization cannot be ended", {
          reason: 'organization.operators',
        });
      if (old.eraseAfter !== null) return { id: old.id, eraseAfter: old.eraseAfter };
      const eraseAfter = new Date(Date.now() + graceDays * DAY_MS);
      const ending = {
        endedAt: new Date().toISOString(),
        endedBy: caller?.userId ?? null,
        wasSuspended: old.suspended,
      };
      await this.organizations.advance(old, { suspended: true, eraseAfter, ending }, tx);
      await this.record(caller, old.id, 'organization.end', { erase_after: eraseAfter.toISOString() }, tx);
      await this.tell({ id: old.id, hasEnded: true, language }, tx);
      return { id: old.id, eraseAfter };
    });
  }

  /** @throws {AppError} `not_found`, `conflict` for one that has not ended or whose erasure has begun */
  async restore(caller: Caller | null, slug: string, language: MailLanguage): Promise<RestoredOrganization> {
    return this.change(slug, async (old, tx) => {
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
      await this.tell({ id: old.id, hasEnded: false, language }, tx);
      return { id: old.id, suspended };
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

  /** Counts erased rows in the transaction that deletes them, so that a repeated step counts each row once. */
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

  private async change<T>(slug: string, work: (old: OrganizationEntity, tx: Transaction) => Promise<T>): Promise<T> {
    const found = existing(await this.organizations.findBySlug(slug), 'Organization');
    const result = await this.transactions.run(async (tx) => {
      const old = existing(await this.organizations.lock(found.id, tx), 'Organization');
      return work(old, tx);
    });
    this.changes.announce(found.id);
    return result;
  }

  private async tell(change: ChangedEnding, tx: Transaction): Promise<void> {
    for (const listener of this.listeners) await listener(change, tx);
  }

  private record(caller: Caller | null, id: string, action: string, after: object, tx: Transaction): Promise<void> {
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

import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { OrganizationChanges } from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { type PersonIn, PersonRowsRepository } from '../catalogue/person-rows.repository';
import { PERSON_TABLES } from '../catalogue/person-tables';
import { ErasureRepository } from './erasure.repository';
import { erasureReport } from './erasure-report';
import type { ErasureReport, HeldErasure } from './erasure.types';
import { SubjectRepository } from './subject.repository';

const personOf = ({ organizationId, subjectId }: HeldErasure): PersonIn => ({ organizationId, userId: subjectId });

/** The first and the last step of an erasure. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly subjects: SubjectRepository,
    private readonly rows: PersonRowsRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /**
   * Ends keys and sessions; open work ends with the announcement. Returns since when the person is disabled.
   * @throws {AppError} `conflict` when the person has become the last owner or system administrator since the request
   */
  async deactivate(held: HeldErasure): Promise<Date> {
    const person = personOf(held);
    const since = await this.transactions.run(async (tx) => {
      await this.subjects.lock(person.organizationId, tx);
      await this.assertNotLast(person, tx);
      const since = await this.subjects.deactivate(person, tx);
      await this.changes.memberChanged(person, tx);
      return this.requests.deactivated(held, since, tx);
    });
    this.changes.announce(person.organizationId);
    return since;
  }

  /**
   * Removes membership and account and closes the request with its report, in one transaction.
   * @throws {Error} when a table still has rows of the person: the next try treats them
   */
  async finish(held: HeldErasure): Promise<ErasureReport> {
    const { organizationId, userId } = personOf(held);
    const auditEntries = await this.entriesLeft(personOf(held));
    const report = await this.transactions.run(async (tx) => {
      await this.subjects.lock(organizationId, tx);
      const memberships = await this.subjects.removeMembership(organizationId, userId, tx);
      const accountDeleted = await this.subjects.deleteAccount(userId, tx);
      await this.requests.count(held, 'deleted', 'account', memberships + (accountDeleted ? 1 : 0), tx);
      const treated = await this.requests.treated(held, tx);
      const made = erasureReport({ ...treated, accountDeleted, auditEntries }, new Date());
      await this.requests.finish(held, made, tx);
      const { counts, handed_over, account } = made;
      const target = { type: 'erasure', id: held.id };
      const after = { counts, handed_over, account };
      await this.audit.record({ caller: null, organizationId, action: 'person.erase', target, after }, tx);
      return made;
    });
    this.changes.announce(organizationId);
    return report;
  }

  private async assertNotLast({ organizationId, userId }: PersonIn, tx: Transaction): Promise<void> {
    const subject = await this.subjects.find(organizationId, userId, tx);
    if (subject === null || subject.disabled) return;
    if (subject.role === 'owner' && (await this.subjects.firstOtherOwner(organizationId, userId, tx)) === null) {
      throw new AppError('conflict', 'An organization keeps at least one owner', { reason: 'member.last_owner' });
    }
    if (subject.systemAdmin && !(await this.subjects.hasOtherSystemAdmin(organizationId, userId, tx))) {
      throw new AppError('conflict', 'The service keeps at least one system administrator', {
        reason: 'member.last_system_admin',
      });
    }
  }

  /** The audit entries that are left; every other table must be empty. */
  private async entriesLeft(person: PersonIn): Promise<number> {
    let entries = 0;
    for (const table of PERSON_TABLES) {
      const { by } = table.erasure;
      if (by === 'account') continue;
      const left = await this.rows.count(table, person);
      if (by === 'audit') entries += left;
      else if (left > 0) throw new Error(`The erasure left ${left} rows in ${table.table}`);
    }
    return entries;
  }
}

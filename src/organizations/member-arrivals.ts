import { Injectable } from '@nestjs/common';
import { AppError } from '../kernel';
import type { Transaction } from '../platform/database';
import { type ArrivingMember, MemberArrivalsRepository } from './member-arrivals.repository';
import { MemberRepository } from './member.repository';
import { OrganizationChanges } from './organization-changes';

/** Members that come with an organization from elsewhere, within a transaction of the caller, who writes the audit. */
@Injectable()
export class MemberArrivals {
  constructor(
    private readonly arrivals: MemberArrivalsRepository,
    private readonly members: MemberRepository,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Ids of those who have an account in any organization, by lower-case address. */
  people(emails: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.arrivals.people(emails);
  }

  /** Addresses of accounts, by id. */
  addresses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.arrivals.addresses(ids);
  }

  /** Everybody in the organization. */
  standing(organizationId: string, tx: Transaction): Promise<readonly ArrivingMember[]> {
    return this.arrivals.members(organizationId, tx);
  }

  /** @throws {AppError} `conflict` when somebody got an account under one of the addresses a moment ago. */
  async arrive(organizationId: string, members: readonly ArrivingMember[], tx: Transaction): Promise<void> {
    await this.arrivals.insertPeople(
      members.map(({ userId, email }) => ({ id: userId, email })),
      tx,
    );
    const people = await this.arrivals.people(
      members.map(({ email }) => email),
      tx,
    );
    if (members.some(({ email, userId }) => people.get(email) !== userId)) {
      throw new AppError('conflict', 'Somebody arrived elsewhere at the same moment; try again');
    }
    await this.arrivals.insertMembers(organizationId, members, tx);
  }

  /** The address stays, being the account's. False, and nothing changes, when no enabled owner would be left. */
  async change(
    organizationId: string,
    { userId, name, role, disabled }: ArrivingMember,
    tx: Transaction,
  ): Promise<boolean> {
    const scope = this.members.within(organizationId, tx);
    const old = await scope.find(userId);
    const leaves = old?.role === 'owner' && !old.disabled && (role !== 'owner' || disabled);
    if (leaves && (await scope.otherOwners(userId)) === 0) return false;
    await scope.update(userId, { name, role, disabled });
    if (old?.role !== role || old.disabled !== disabled) {
      await this.changes.memberChanged({ organizationId, userId }, tx);
    }
    return true;
  }
}

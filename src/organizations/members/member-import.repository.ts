import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { batches, type ImportRow, type ImportScope, TableImport } from '../../infrastructure/database';
import { MemberEntity } from '../member.entity';
import { MemberRepository } from '../member.repository';
import { OrganizationChanges } from '../organization/settings.service';
import { UserEntity } from '../user.entity';

const BATCH = 500;

/** An imported membership; the account of `userId` exists. */
export type ImportedMember = Readonly<Pick<MemberEntity, 'userId' | 'name' | 'role' | 'disabled'>>;

export type Account = Pick<UserEntity, 'id' | 'email'>;

@Injectable()
export class MemberImport extends TableImport<MemberEntity, ImportedMember> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly members: MemberRepository,
    private readonly changes: OrganizationChanges,
  ) {
    super({
      entity: MemberEntity,
      idColumn: 'userId',
      keyColumns: ['userId'],
      toRow: (value) => value,
      toValue: ({ userId, name, role, disabled }) => ({ userId, name, role, disabled }),
    });
  }

  /** Accounts with one of these ids or lower-case addresses. */
  async accounts(
    column: 'id' | 'email',
    values: readonly string[],
    manager = this.dataSource.manager,
  ): Promise<Account[]> {
    const users = manager.getRepository(UserEntity);
    const found: Account[] = [];
    for (const batch of batches(values, BATCH)) found.push(...(await users.findBy({ [column]: In([...batch]) })));
    return found;
  }

  /** Accounts that are in no organization, because they were removed from theirs. */
  async removed(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const left = new Set(ids);
    const members = this.dataSource.getRepository(MemberEntity);
    for (const batch of batches(ids, BATCH)) {
      for (const { userId } of await members.findBy({ userId: In([...batch]) })) left.delete(userId);
    }
    return left;
  }

  /** @throws {AppError} `conflict` when another account took one of the addresses */
  async addAccounts({ tx }: ImportScope, accounts: readonly Account[]): Promise<void> {
    for (const batch of batches(accounts, BATCH)) {
      const rows = batch.map((account) => ({ ...account, systemAdmin: false }));
      await tx.getRepository(UserEntity).createQueryBuilder().insert().values(rows).orIgnore().execute();
    }
    const emails = accounts.map(({ email }) => email);
    const stored = new Map((await this.accounts('email', emails, tx)).map(({ id, email }) => [email, id]));
    if (accounts.some(({ id, email }) => stored.get(email) !== id)) {
      throw new AppError('conflict', 'An account with the same address was added at the same moment; try again');
    }
  }

  /** False without a change when no enabled owner would be left. */
  override async update(
    { organizationId, tx }: ImportScope,
    { value: { userId, name, role, disabled } }: ImportRow<ImportedMember>,
    stored: ImportedMember,
  ): Promise<boolean> {
    const members = this.members.within(organizationId, tx);
    const wasOwner = stored.role === 'owner' && !stored.disabled;
    if (wasOwner && (role !== 'owner' || disabled) && (await members.otherOwners(userId)) === 0) return false;
    await members.update(userId, { name, role, disabled });
    if (stored.role !== role || stored.disabled !== disabled) {
      await this.changes.memberChanged({ organizationId, userId }, tx);
    }
    return true;
  }
}

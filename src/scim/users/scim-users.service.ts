import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ScimTokens } from '../../auth';
import { AppError, type Caller, isUuid, notFound } from '../../kernel';
import {
  DirectoryGroups,
  type Member,
  MemberProvisioning,
  MembersService,
  OrganizationChanges,
  type ProvisionedBy,
} from '../../organizations';
import { acrossOrganizations, isUniqueViolation, type Transaction, Transactions } from '../../platform/database';
import { ScimError } from '../../platform/http';
import type { ListQuery } from '../protocol/list-query';
import type { PatchOperation } from '../protocol/patch';
import type { ScimUserEntity } from './scim-user.entity';
import { ScimUserRepository, userNameKey } from './scim-user.repository';
import { addressOf, displayNameOf, patchedUser, type ScimUserValues } from './user-resource';

export interface ProvisionedUser {
  readonly id: string;
  readonly values: ScimUserValues;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Groups a caller, a transaction and the audit's name of the directory. */
interface Work {
  readonly caller: Caller;
  readonly by: ProvisionedBy;
  readonly tx: Transaction;
}

const taken = (what: string): ScimError => new ScimError('uniqueness', `${what} is taken`);

/** Users of a directory: members of its organization that it made, or that its token may link. */
@Injectable()
export class ScimUsers {
  constructor(
    private readonly users: ScimUserRepository,
    private readonly members: MembersService,
    private readonly provisioning: MemberProvisioning,
    private readonly groups: DirectoryGroups,
    private readonly tokens: ScimTokens,
    private readonly transactions: Transactions,
    private readonly changes: OrganizationChanges,
  ) {}

  async page(
    { organizationId }: Caller,
    { conditions, startIndex, count }: ListQuery,
  ): Promise<{ readonly users: ProvisionedUser[]; readonly total: number }> {
    const page = { offset: startIndex - 1, limit: count };
    const found = await this.users.within(organizationId).page(conditions, page);
    if (found === null) {
      const names = 'userName, externalId, displayName, emails, active and id';
      throw new ScimError('invalidFilter', `Users are found by ${names}`);
    }
    const [rows, total] = found;
    const users = await Promise.all(rows.map(async (row) => shown(row, await this.memberOf(row))));
    return { users, total };
  }

  /** @throws {AppError} `not_found` */
  async get({ organizationId }: Caller, id: string): Promise<ProvisionedUser> {
    const row = isUuid(id) ? await this.users.within(organizationId).find(id) : null;
    if (row === null) throw notFound('User');
    return shown(row, await this.memberOf(row));
  }

  /** @throws {ScimError} `uniqueness` */
  async create(caller: Caller, values: ScimUserValues): Promise<ProvisionedUser> {
    const mayLink = await this.tokens.mayLinkExisting(caller);
    const id = await this.locked(caller, async (work) => {
      const member = await this.account(work, values, mayLink);
      await this.write(work, member, values);
      return member.userId;
    });
    return this.get(caller, id);
  }

  /** @throws {AppError} `not_found`, `uniqueness`, `mutability` */
  async replace(caller: Caller, id: string, values: ScimUserValues): Promise<ProvisionedUser> {
    return this.change(caller, id, () => values);
  }

  /** @throws {AppError} like `replace`, and for operations that cannot be carried out */
  async patch(caller: Caller, id: string, operations: readonly PatchOperation[]): Promise<ProvisionedUser> {
    return this.change(caller, id, (old) => patchedUser(old, operations));
  }

  /** Disables the member. Their content stays; the directory gets the account back by creating the user again. */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.locked(caller, async (work) => {
      const { row, member } = await this.stored(work, id);
      await this.updateMember(work, member, { name: member.name, disabled: true });
      await this.groups.leaveAll(caller.organizationId, row.userId, work.tx);
      await this.users.within(caller.organizationId, work.tx).hide(row.userId);
    });
  }

  private async change(
    caller: Caller,
    id: string,
    change: (old: ScimUserValues) => ScimUserValues,
  ): Promise<ProvisionedUser> {
    await this.locked(caller, async (work) => {
      const { row, member } = await this.stored(work, id);
      const { values: old } = shown(row, member);
      const values = change(old);
      const address = addressOf(values);
      if (address !== null && address !== addressOf(old) && address !== member.email) {
        if ((await this.provisioning.personWith(address, work.tx)) !== null) throw taken('The address');
        await this.provisioning.readdress(work.by, member, address, work.tx);
      }
      await this.write(work, member, values);
    });
    return this.get(caller, id);
  }

  private async stored(
    { caller: { organizationId }, tx }: Work,
    id: string,
  ): Promise<{ readonly row: ScimUserEntity; readonly member: Member }> {
    const row = isUuid(id) ? await this.users.within(organizationId, tx).find(id) : null;
    const member = row === null ? null : await this.provisioning.find(organizationId, row.userId, tx);
    if (row === null || member === null) throw notFound('User');
    return { row, member };
  }

  /** The member that a new user becomes. */
  private async account(work: Work, values: ScimUserValues, mayLink: boolean): Promise<Member> {
    const { caller, by, tx } = work;
    const { organizationId } = caller;
    const users = this.users.within(organizationId, tx);
    const named = await users.everNamed(values.userName);
    if (named?.deletedAt === null) throw taken(`The user name ${values.userName}`);
    if (named !== null) return this.present(organizationId, named.userId, tx);
    const address = addressOf(values);
    const name = displayNameOf(values);
    const member = address === null ? null : await this.provisioning.find(organizationId, address, tx);
    if (member !== null) return this.linked(work, member, mayLink);
    const person = address === null ? null : await this.provisioning.personWith(address, tx);
    if (person !== null) {
      assertMayLink(mayLink);
      return this.provisioning.admit(by, person, { name, role: 'member' }, tx);
    }
    const email = address ?? placeholderOf(organizationId, values.userName);
    return this.provisioning.add(by, { email, name, role: 'member' }, tx);
  }

  /** A member with the address of a new user. A user that the directory deleted is its own. */
  private async linked({ caller, tx }: Work, member: Member, mayLink: boolean): Promise<Member> {
    const known = await this.users.within(caller.organizationId, tx).everOf(member.userId);
    if (known?.deletedAt === null) throw taken(`The address ${member.email}`);
    if (known === null) assertMayLink(mayLink && !member.systemAdmin);
    return member;
  }

  private async present(organizationId: string, userId: string, tx: Transaction): Promise<Member> {
    const member = await this.provisioning.find(organizationId, userId, tx);
    if (member === null) throw new Error('A provisioned user is no member');
    return member;
  }

  private async write(work: Work, member: Member, { active, ...resource }: ScimUserValues): Promise<void> {
    const { userName, externalId } = resource;
    const name = displayNameOf({ ...resource, active });
    await this.updateMember(work, member, { name, disabled: !active });
    await this.users
      .within(work.caller.organizationId, work.tx)
      .save({ userId: member.userId, userNameKey: userNameKey(userName), externalId, resource });
  }

  private async updateMember(
    { by, tx }: Work,
    member: Member,
    changes: { readonly name: string; readonly disabled: boolean },
  ): Promise<void> {
    try {
      await this.provisioning.update(by, member, changes, tx);
    } catch (error) {
      if (error instanceof AppError && error.code === 'conflict') throw new ScimError('mutability', error.detail);
      throw error;
    }
  }

  /** Changes of members of one organization queue behind its row. People are found by their address anywhere. */
  private async locked<T>(caller: Caller, run: (work: Work) => Promise<T>): Promise<T> {
    const by = { organizationId: caller.organizationId, source: `scim:${caller.credentialId ?? ''}` };
    try {
      const result = await acrossOrganizations('directory', () =>
        this.transactions.run(async (tx) => {
          if (!(await this.provisioning.lock(caller.organizationId, tx))) throw notFound('Organization');
          return run({ caller, by, tx });
        }),
      );
      this.changes.announce(caller.organizationId);
      return result;
    } catch (error) {
      if (isUniqueViolation(error, 'scim_users_user_name_uq')) throw taken('The user name');
      if (isUniqueViolation(error, 'users_email_key')) throw taken('The address');
      throw error;
    }
  }

  private async memberOf({ organizationId, userId }: ScimUserEntity): Promise<Member> {
    const member = await this.members.find(organizationId, userId);
    if (member === null) throw notFound('User');
    return member;
  }
}

function assertMayLink(mayLink: boolean): void {
  if (mayLink) return;
  throw new ScimError(
    'uniqueness',
    'Somebody has this address already, and this SCIM token may not take over accounts that were there before',
  );
}

function placeholderOf(organizationId: string, userName: string): string {
  const digest = createHash('sha256')
    .update(`${organizationId}\n${userNameKey(userName)}`)
    .digest('hex')
    .slice(0, 20);
  // RFC 2606 §2: a name that never resolves.
  return `${digest}@scim.invalid`;
}

const shown = (row: ScimUserEntity, member: Member): ProvisionedUser => ({
  id: row.userId,
  values: { ...row.resource, active: !member.disabled },
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

import { AppError, type Caller, isUuid, notFound, existing } from '@bellwether/kernel';
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ScimTokens } from '../../../src/auth';
import {
  DirectoryGroups,
  type Member,
  MemberProvisioning,
  MembersService,
  OrganizationChanges,
  type ProvisionedBy,
} from '../../../src/organizations';
import {
  acrossOrganizations,
  isUniqueViolation,
  type Transaction,
  Transactions,
} from '../../../src/infrastructure/database';
import { ScimError } from '../../../src/infrastructure/http';
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
    const row = existing(isUuid(id) ? await this.users.within(organizationId).find(id) : null, 'User');
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

  /**
   * Disables the member and ends their credentials. Their content stays; the directory gets the account back by creating a
   * user with the same externalId.
   */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.locked(caller, async (work) => {
      const { row, member } = await this.stored(work, id);
      await asScim(this.provisioning.end(work.by, member, work.tx));
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
      await this.assertSamePerson(work, row, old, values);
      await this.claimName(work, row.userId, values.userName);
      const address = addressOf(values);
      const isChanged = address !== addressOf(old) || !old.active;
      // Deactivation never fails for an address. It is changed when the account is active again.
      if (address !== null && address !== member.email && isChanged && values.active) {
        await this.readdress(work, member, address);
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

  /**
   * The member that a new user becomes. The externalId decides who somebody is: institutions give names and addresses of
   * people who left to others.
   */
  private async account(work: Work, values: ScimUserValues, mayLink: boolean): Promise<Member> {
    const { by, tx } = work;
    const former = await this.former(work, values);
    await this.claimName(work, former?.userId ?? null, values.userName);
    const address = addressOf(values);
    const known = former ?? (await this.signedIn(work, values));
    if (known !== null) {
      if (address !== null && address !== known.email) await this.readdress(work, known, address);
      return known;
    }
    const newcomer = { name: displayNameOf(values), role: 'member' } as const;
    const person = address === null ? null : await this.provisioning.personWith(address, tx);
    if (person !== null && !(await this.freed(work, person))) {
      const member = await this.linked(work, person, values, mayLink);
      return member ?? this.provisioning.admit(by, person, newcomer, tx);
    }
    const email = address ?? placeholder();
    return this.provisioning.add(by, { ...newcomer, email }, tx);
  }

  /** The person who has the address of a new user: a member, or null for a member elsewhere. @throws {ScimError} `uniqueness` */
  private async linked(
    { caller, tx }: Work,
    person: string,
    { externalId }: ScimUserValues,
    mayLink: boolean,
  ): Promise<Member | null> {
    const { organizationId } = caller;
    const users = this.users.within(organizationId, tx);
    if ((await users.everOf(person)) !== null || (await users.signsInAsAnother(person, externalId))) {
      throw taken('The address');
    }
    const member = await this.provisioning.find(organizationId, person, tx);
    assertMayLink(mayLink);
    const isOpen = member === null ? await this.provisioning.mayBeLinked(person, tx) : isLinkable(member);
    if (!isOpen) throw new ScimError('uniqueness', NOT_LINKED);
    return member;
  }

  /** The member who signs in with the externalId as a claim, and whom no directory knows yet. */
  private async signedIn({ caller, tx }: Work, { externalId }: ScimUserValues): Promise<Member | null> {
    const users = this.users.within(caller.organizationId, tx);
    const userId = externalId === null ? null : await users.signedInAs(externalId);
    if (userId === null || (await users.everOf(userId)) !== null) return null;
    const member = await this.provisioning.find(caller.organizationId, userId, tx);
    return member !== null && isLinkable(member) ? member : null;
  }

  /** The deleted or inactive account of the same person; null without one. @throws {ScimError} `uniqueness` */
  private async former({ caller, tx }: Work, { externalId, userName }: ScimUserValues): Promise<Member | null> {
    if (externalId === null) return null;
    const { organizationId } = caller;
    const rows = await this.users.within(organizationId, tx).everIdentified(externalId);
    const members = await Promise.all(rows.map(({ userId }) => this.present(organizationId, userId, tx)));
    const isInUse = rows.some(
      ({ deletedAt, userNameKey: key }, index) =>
        deletedAt === null && (members[index]?.disabled === false || key === userNameKey(userName)),
    );
    if (isInUse) throw taken(`The externalId ${externalId}`);
    return members[0] ?? null;
  }

  /** A deleted user gives up the name. @throws {ScimError} `uniqueness` */
  private async claimName({ caller, tx }: Work, own: string | null, userName: string): Promise<void> {
    const users = this.users.within(caller.organizationId, tx);
    const named = await users.everNamed(userName);
    if (named === null || named.userId === own) return;
    if (named.deletedAt === null) throw taken(`The user name ${userName}`);
    await users.giveUpName(named.userId);
  }

  /** @throws {ScimError} `uniqueness` where the address stays */
  private async readdress(work: Work, member: Member, address: string): Promise<void> {
    const { by, caller, tx } = work;
    const holder = await this.provisioning.personWith(address, tx);
    const isHeld = holder !== null && holder !== member.userId && !(await this.freed(work, holder));
    if (isHeld && (await this.provisioning.find(caller.organizationId, holder, tx)) !== null)
      throw taken('The address');
    // One refusal for everything about other organizations.
    if (isHeld || !(await this.provisioning.readdress(by, member, address, tx)))
      throw new ScimError('uniqueness', 'The address cannot be changed here: ask a system administrator');
  }

  /** Takes the address from an account that the directory deleted. False where its holder keeps it. */
  private async freed({ caller: { organizationId }, by, tx }: Work, userId: string): Promise<boolean> {
    const row = await this.users.within(organizationId, tx).everOf(userId);
    const member = row?.deletedAt ? await this.provisioning.find(organizationId, userId, tx) : null;
    if (member?.disabled !== true) return false;
    return this.provisioning.readdress(by, member, placeholder(), tx);
  }

  /** @throws {ScimError} `uniqueness`, `mutability` for an account that would be given to somebody else */
  private async assertSamePerson(
    { caller, tx }: Work,
    { userId }: ScimUserEntity,
    old: ScimUserValues,
    { externalId }: ScimUserValues,
  ): Promise<void> {
    if (externalId === null || externalId === old.externalId) return;
    const rows = await this.users.within(caller.organizationId, tx).everIdentified(externalId);
    if (rows.some((row) => row.userId !== userId && row.deletedAt === null))
      throw taken(`The externalId ${externalId}`);
    if (old.externalId === null || old.active) return;
    throw new ScimError(
      'mutability',
      'The account is inactive and has another externalId. Delete it, then create the new person',
    );
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
    await asScim(this.provisioning.update(by, member, changes, tx));
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
    return existing(await this.members.find(organizationId, userId), 'User');
  }
}

function assertMayLink(mayLink: boolean): void {
  if (mayLink) return;
  throw new ScimError(
    'uniqueness',
    'Somebody has this address already, and this SCIM token may not take over accounts that were there before',
  );
}

/** A change of a member. @throws {ScimError} `mutability` for the last owner and for system administrators */
const asScim = (change: Promise<void>): Promise<void> =>
  change.catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'conflict' ? new ScimError('mutability', error.detail) : error;
  });

const NOT_LINKED =
  'The account with this address is never linked: its member was disabled or removed, or administers the service. ' +
  'Enable or add the member first, or change the address of that account';

/** The address of a disabled member may have been given to somebody else. */
const isLinkable = ({ systemAdmin, disabled }: Member): boolean => !systemAdmin && !disabled;

/** An address of nobody: RFC 2606 §2 has names that never resolve. */
const placeholder = (): string => `${randomBytes(10).toString('hex')}@scim.invalid`;

const shown = (row: ScimUserEntity, member: Member): ProvisionedUser => ({
  id: row.userId,
  values: { ...row.resource, active: !member.disabled },
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

import { AppError, type Principal, type Role } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { AcrossOrganizations, type Transaction, Transactions } from '../../infrastructure/database';
import { OrganizationChanges } from '../organization/settings.service';
import type { ChecklistAnswers, InvitationState } from '../member.entity';
import { MemberRepository, type PersonRow } from '../member.repository';
import { OrganizationRepository } from '../organization.repository';
import type { Member, NewMember } from './members.service';

/** E-mails to one person in a day, over all organizations together, so that this service fills nobody's mailbox. */
export const MOST_MAILS_PER_DAY = 5;

/** The invitation of a member: made, sent or failed. */
@Injectable()
export class MemberInvitations {
  constructor(private readonly members: MemberRepository) {}

  /** `problem`: why the e-mail could not be sent, in the words of the mail server. */
  async note(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    { state, problem = null }: { readonly state: InvitationState; readonly problem?: string | null },
    tx?: Transaction,
  ): Promise<void> {
    await this.members.within(organizationId, tx).noteInvitation(userId, state, problem);
  }

  /** Whether the e-mail still has to be sent. Locks the membership. */
  isSending({ organizationId, userId }: { organizationId: string; userId: string }, tx: Transaction): Promise<boolean> {
    return this.members.within(organizationId, tx).lockSending(userId);
  }

  /** Null when another e-mail may go to the person today, else the seconds until then. Counts it. */
  countMail(
    { organizationId, userId }: { organizationId: string; userId: string },
    tx: Transaction,
  ): Promise<number | null> {
    return this.members.within(organizationId, tx).countInvitationMail(userId, MOST_MAILS_PER_DAY);
  }

  /** Members whose e-mail still has to be sent. */
  waiting(): Promise<{ organizationId: string; userId: string }[]> {
    return this.members.invitationsToSend();
  }
}

/** People's answers to the checklist for a first assistant. */
@Injectable()
export class MemberChecklists {
  constructor(private readonly members: MemberRepository) {}

  async of({ organizationId, userId }: Principal): Promise<ChecklistAnswers> {
    return (await this.members.within(organizationId).find(userId))?.checklist ?? {};
  }

  async answer({ organizationId, userId }: Principal, answers: ChecklistAnswers): Promise<void> {
    await this.members.within(organizationId).noteChecklist(userId, answers);
  }
}

export type PersonName = Omit<PersonRow, 'id'>;

/** Names for ids of people, also of people who have left the organization. */
@Injectable()
export class UserNames {
  constructor(
    private readonly members: MemberRepository,
    private readonly transactions: Transactions,
  ) {}

  /** System administrators act in organizations of which they are no members. */
  @AcrossOrganizations('directory')
  async of(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, PersonName>> {
    if (ids.length === 0) return new Map();
    const people = await this.members.people(organizationId, ids);
    return new Map(people.map(({ id, email, name }) => [id, { email, name }]));
  }

  /** Id of the person with an address; null without one. */
  @AcrossOrganizations('directory')
  idOf(email: string): Promise<string | null> {
    return this.transactions.run((tx) => this.members.personWith(email, tx));
  }
}

/** The provider in the audit log, as no caller is known yet. */
export interface ProvisionedBy {
  readonly organizationId: string;
  /** Key of the issuer. */
  readonly source: string;
}

/** Members that an institution's directory makes and changes, inside the transaction of a sign-in. */
@Injectable()
export class MemberProvisioning {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly members: MemberRepository,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Changes of members queue behind the organization's row. False for an organization that is gone or suspended. */
  async lock(organizationId: string, tx: Transaction): Promise<boolean> {
    const organization = await this.organizations.lock(organizationId, tx);
    return organization !== null && !organization.suspended;
  }

  find(organizationId: string, userIdOrEmail: string, tx: Transaction): Promise<Member | null> {
    return this.members.within(organizationId, tx).find(userIdOrEmail);
  }

  /** The person with the address, of any organization. */
  personWith(email: string, tx: Transaction): Promise<string | null> {
    return this.members.personWith(email, tx);
  }

  /** Whether a person may become a member by their address: no system administrator, and a member somewhere. */
  mayBeLinked(userId: string, tx: Transaction): Promise<boolean> {
    return this.members.mayBeLinked(userId, tx);
  }

  isSystemAdmin(userId: string, tx: Transaction): Promise<boolean> {
    return this.members.isSystemAdmin(userId, tx);
  }

  /** Whether the person is a system administrator or owns an organization. */
  isPowerful(userId: string, tx: Transaction): Promise<boolean> {
    return this.members.isPowerful(userId, tx);
  }

  async add({ organizationId, source }: ProvisionedBy, member: NewMember, tx: Transaction): Promise<Member> {
    const members = this.members.within(organizationId, tx);
    return this.added({ organizationId, source }, await members.add(member), tx);
  }

  /** Makes a person of another organization a member. */
  async admit(
    { organizationId, source }: ProvisionedBy,
    userId: string,
    { name, role }: Pick<NewMember, 'name' | 'role'>,
    tx: Transaction,
  ): Promise<Member> {
    await this.members.within(organizationId, tx).admit(userId, { name, role });
    return this.added({ organizationId, source }, userId, tx);
  }

  /**
   * The role that the member has afterwards. System administrators and the last owner keep theirs: a directory that is set up
   * wrongly must not lock an organization out.
   */
  async setRole({ organizationId, source }: ProvisionedBy, member: Member, role: Role, tx: Transaction): Promise<Role> {
    if (role === member.role || member.systemAdmin) return member.role;
    const members = this.members.within(organizationId, tx);
    if (member.role === 'owner' && (await members.otherOwners(member.userId)) === 0) return member.role;
    await members.update(member.userId, { role });
    await this.changes.memberChanged({ organizationId, userId: member.userId }, tx);
    const target = { type: 'member', id: member.userId };
    const [before, after] = [{ role: member.role }, { role, issuer: source }];
    await this.audit.record({ caller: null, organizationId, action: 'member.update', target, before, after }, tx);
    return role;
  }

  /**
   * Changes name or state for a directory. Disabling ends sessions, keys and open answers; content stays.
   * @throws {AppError} `conflict` for the last owner and for system administrators, who cannot be disabled here
   */
  async update(
    { organizationId, source }: ProvisionedBy,
    member: Member,
    changes: { readonly name: string; readonly disabled: boolean },
    tx: Transaction,
  ): Promise<void> {
    const { userId, name, disabled } = member;
    if (changes.name === name && changes.disabled === disabled) return;
    const members = this.members.within(organizationId, tx);
    if (changes.disabled && !disabled) {
      if (member.systemAdmin) throw new AppError('conflict', 'A directory disables no system administrator');
      if (member.role === 'owner' && (await members.otherOwners(userId)) === 0) {
        throw new AppError('conflict', 'An organization keeps at least one owner', { reason: 'member.last_owner' });
      }
    }
    await members.update(userId, { ...changes });
    if (changes.disabled !== disabled) await this.changes.memberChanged({ organizationId, userId }, tx);
    const target = { type: 'member', id: userId };
    const [before, after] = [
      { name, disabled },
      { ...changes, source },
    ];
    await this.audit.record({ caller: null, organizationId, action: 'member.update', target, before, after }, tx);
  }

  /**
   * Disables a member whom the directory deleted, and ends keys and imported passwords.
   * @throws {AppError} like `update`
   */
  async end(by: ProvisionedBy, member: Member, tx: Transaction): Promise<void> {
    await this.update(by, member, { name: member.name, disabled: true }, tx);
    const { organizationId } = by;
    await this.changes.memberChanged({ organizationId, userId: member.userId, hasEnded: true }, tx);
  }

  /**
   * Name and address as the provider has them that made the account. An address that is taken stays, and so does that of
   * owners and administrators: sign-in links and other providers reach an account by its address.
   */
  async follow(
    by: ProvisionedBy,
    member: Member,
    { name, email }: Pick<Member, 'name' | 'email'>,
    tx: Transaction,
  ): Promise<void> {
    await this.update(by, member, { name, disabled: member.disabled }, tx);
    if (member.role === 'owner' || member.role === 'admin') return;
    if (email === member.email || (await this.personWith(email, tx)) !== null) return;
    await this.readdress(by, member, email, tx);
  }

  /** False where the address stays: the person is a member elsewhere too, or a system administrator. */
  async readdress(
    { organizationId, source }: ProvisionedBy,
    member: Member,
    to: string,
    tx: Transaction,
  ): Promise<boolean> {
    const { userId, email, systemAdmin } = member;
    if (systemAdmin || !(await this.members.isOnlyIn(organizationId, userId, tx))) return false;
    await this.members.readdress(userId, to, tx);
    const target = { type: 'member', id: userId };
    const [before, after] = [{ email }, { email: to, source }];
    await this.audit.record({ caller: null, organizationId, action: 'member.update', target, before, after }, tx);
    return true;
  }

  private async added({ organizationId, source }: ProvisionedBy, userId: string, tx: Transaction): Promise<Member> {
    const member = await this.members.within(organizationId, tx).find(userId);
    if (member === null) throw new Error('A provisioned member was not written');
    const target = { type: 'member', id: userId };
    const after = { email: member.email, name: member.name, role: member.role, issuer: source };
    await this.audit.record({ caller: null, organizationId, action: 'member.add', target, after }, tx);
    return member;
  }
}

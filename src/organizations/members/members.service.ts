import {
  AppError,
  type Caller,
  invalid,
  type Page,
  pageOf,
  type PageRequest,
  textCursor,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { isUniqueViolation, type Transaction, Transactions } from '../../infrastructure/database';
import { type MemberRow, MemberRepository } from '../member.repository';
import type { MemberDto } from '../organization-answer.dto';
import { OrganizationChanges } from '../organization/settings.service';
import { assertOutranks } from '../organization/organization.permissions';
import { OrganizationRepository } from '../organization.repository';

/** A membership with the address of the person. */
export type Member = Pick<MemberRow, 'userId' | 'email' | 'name' | 'role' | 'disabled' | 'systemAdmin'>;
export type NewMember = Pick<Member, 'email' | 'name' | 'role'>;
export type MemberChanges = Partial<Pick<Member, 'email' | 'name' | 'role' | 'disabled'>>;

/** Tells addresses from user ids; DTOs check more. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;

const memberOf = ({ userId, email, name, role, disabled, systemAdmin }: MemberRow): Member => ({
  userId,
  email,
  name,
  role,
  disabled,
  systemAdmin,
});

const shown = ({ name, role, disabled }: MemberRow): object => ({ name, role, disabled });

const viewOf = (row: MemberRow): MemberDto => ({
  user_id: row.userId,
  email: row.email,
  name: row.name,
  role: row.role,
  disabled: row.disabled,
  created_at: row.createdAt.toISOString(),
  first_signed_in_at: row.firstSignedInAt?.toISOString() ?? null,
  invitation:
    row.invitation === null
      ? null
      : {
          state: row.invitation,
          invited_at: (row.invitedAt ?? row.createdAt).toISOString(),
          problem: row.invitationProblem,
        },
});

/** Callers check the rights on the organization first: `OrganizationsService.administered`. */
@Injectable()
export class MembersService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly members: MemberRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Null for everyone who is not a member of this organization. */
  async find(organizationId: string, userIdOrEmail: string): Promise<Member | null> {
    const row = await this.members.within(organizationId).find(userIdOrEmail);
    return row === null ? null : memberOf(row);
  }

  /** Members of this organization by user id, in one statement. */
  async findAll(organizationId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, Member>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.members.within(organizationId).findAll([...new Set(userIds)]);
    return new Map(rows.map((row) => [row.userId, memberOf(row)]));
  }

  async list(organizationId: string, { limit, cursor }: PageRequest): Promise<Page<MemberDto>> {
    const [found, total] = await this.members.within(organizationId).list(limit + 1, textCursor(cursor));
    const page = pageOf(found, limit, ({ email }) => email);
    return { ...page, items: page.items.map(viewOf), total };
  }

  /** `caller` null is the operator. @throws {AppError} `conflict` for a member */
  async add(caller: Caller | null, organizationId: string, member: NewMember): Promise<MemberDto> {
    if (caller !== null) assertOutranks(caller, member);
    if (!ADDRESS.test(member.email))
      throw invalid([{ path: 'email', message: 'must be an e-mail address', code: 'value.email' }]);
    try {
      return await this.transactions.once('member.add', async (tx) => {
        const members = this.members.within(organizationId, tx);
        const userId = await members.add(member);
        const row = existing(await members.find(userId), 'Member');
        const target = { type: 'member', id: userId };
        const after = { email: row.email, name: row.name, role: row.role };
        await this.audit.record({ caller, organizationId, action: 'member.add', target, after }, tx);
        return viewOf(row);
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'members_pk')) throw error;
      const problems = [{ path: 'email', message: 'is a member already', code: 'member.exists' }];
      throw new AppError('conflict', 'This person is a member already', { problems });
    }
  }

  /** @throws {AppError} `conflict` when no enabled owner would be left. */
  async update(caller: Caller, organizationId: string, userId: string, changes: MemberChanges): Promise<MemberDto> {
    const view = await this.transactions.run(async (tx) => {
      const old = await this.lockedMember(organizationId, userId, tx);
      assertOutranks(caller, old);
      if (changes.role !== undefined) assertOutranks(caller, { role: changes.role });
      const stays = (changes.role ?? old.role) === 'owner' && !(changes.disabled ?? old.disabled);
      if (!stays) await this.assertNotLastOwner(old, tx);
      if (changes.disabled === true) await this.assertNotLastSystemAdmin(old, tx);
      const members = this.members.within(organizationId, tx);
      const { email = old.email, ...others } = changes;
      if (Object.values(others).some((value) => value !== undefined)) await members.update(old.userId, others);
      await this.readdress(old, email, tx);
      const updated = existing(await members.find(old.userId), 'Member');
      if (updated.role !== old.role || updated.disabled !== old.disabled) await this.changes.memberChanged(old, tx);
      const target = { type: 'member', id: old.userId };
      const isMoved = updated.email !== old.email;
      const [before, after] = [old, updated].map((row) => ({ ...shown(row), ...(isMoved && { email: row.email }) }));
      await this.audit.record({ caller, organizationId, action: 'member.update', target, before, after }, tx);
      return viewOf(updated);
    });
    this.changes.announce(organizationId);
    return view;
  }

  /** Ends the membership and its keys. Content of the person stays. */
  async remove(caller: Caller, organizationId: string, userId: string): Promise<void> {
    await this.transactions.run(async (tx) => {
      const old = await this.lockedMember(organizationId, userId, tx);
      assertOutranks(caller, old);
      await this.assertNotLastOwner(old, tx);
      await this.assertNotLastSystemAdmin(old, tx);
      await this.members.within(organizationId, tx).remove(old.userId);
      const target = { type: 'member', id: old.userId };
      const before = { email: old.email, name: old.name, role: old.role };
      await this.audit.record({ caller, organizationId, action: 'member.remove', target, before }, tx);
    });
    this.changes.announce(organizationId);
  }

  /**
   * An account belongs to one organization only where no other has it. The refusal does not tell who else has the address or
   * the account.
   * @throws {AppError} `conflict`
   */
  private async readdress({ organizationId, userId, email }: MemberRow, given: string, tx: Transaction): Promise<void> {
    const to = given.trim().toLowerCase();
    if (to === email) return;
    if ((await this.members.within(organizationId, tx).find(to)) !== null)
      throw unmoved({ message: 'is taken', code: 'value.taken' });
    const isFree = (await this.members.personWith(to, tx)) === null;
    const isOwn = await this.members.isOnlyIn(organizationId, userId, tx);
    if (!isFree || !isOwn || (await this.members.isSystemAdmin(userId, tx)))
      throw unmoved({ message: 'cannot be changed here', code: 'member.address_fixed' });
    await this.members.readdress(userId, to, tx);
  }

  /** Locks the organization: two concurrent changes cannot both remove the "other" owner. */
  private async lockedMember(organizationId: string, userId: string, tx: Transaction): Promise<MemberRow> {
    await this.organizations.lock(organizationId, tx);
    return existing(await this.members.within(organizationId, tx).find(userId), 'Member');
  }

  private async assertNotLastOwner(member: MemberRow, tx: Transaction): Promise<void> {
    if (member.role !== 'owner' || member.disabled) return;
    const others = await this.members.within(member.organizationId, tx).otherOwners(member.userId);
    if (others === 0)
      throw new AppError('conflict', 'An organization keeps at least one owner', { reason: 'member.last_owner' });
  }

  /** Without a system administrator, organizations could not be made and the next start would fail. */
  private async assertNotLastSystemAdmin(member: MemberRow, tx: Transaction): Promise<void> {
    if (!member.systemAdmin || member.disabled) return;
    const others = await this.members.within(member.organizationId, tx).otherSystemAdmins(member.userId);
    if (others === 0)
      throw new AppError('conflict', 'The service keeps at least one system administrator', {
        reason: 'member.last_system_admin',
      });
  }
}

const unmoved = (problem: { readonly message: string; readonly code: string }): AppError =>
  new AppError('conflict', `The address ${problem.message}`, { problems: [{ path: 'email', ...problem }] });

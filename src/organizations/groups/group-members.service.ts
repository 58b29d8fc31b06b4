import {
  AppError,
  invalid,
  notFound,
  type Page,
  pageOf,
  type PageRequest,
  textCursor,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { type Transaction, Transactions } from '../../infrastructure/database';
import { MembersService } from '../members/members.service';
import type { OrganizationRequest } from '../organization/in-organization.decorator';
import { OrganizationChanges } from '../organization/settings.service';
import type { AddedGroupMembersDto, GroupMemberDto } from './group.dto';
import { GroupMemberRepository, type GroupMemberRow } from './group-member.repository';
import { assertManages } from './group.permissions';
import { GroupRepository } from './group.repository';
import { GroupsService } from './groups.service';

/** The people of a group, for its managers. */
@Injectable()
export class GroupMembersService {
  constructor(
    private readonly groups: GroupsService,
    private readonly stored: GroupRepository,
    private readonly memberships: GroupMemberRepository,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {}

  /** Sorted by address. */
  async list(request: OrganizationRequest, id: string, { limit, cursor }: PageRequest): Promise<Page<GroupMemberDto>> {
    await this.assertManaged(request, id);
    const { organizationId } = request;
    const scope = this.memberships.within(organizationId);
    const [found, counts] = await Promise.all([scope.page(id, limit + 1, textCursor(cursor)), scope.counts([id])]);
    const page = pageOf(found, limit, ({ email }) => email);
    return { ...page, items: page.items.map(viewOf), total: counts.get(id) ?? 0 };
  }

  /** People who are in the group already stay as they are. @throws {AppError} `validation_failed` for strangers */
  async add(request: OrganizationRequest, id: string, people: readonly string[]): Promise<AddedGroupMembersDto> {
    await this.assertManaged(request, id);
    const { organizationId } = request;
    const userIds = await this.userIds(organizationId, people);
    const result = await this.transactions.run(async (tx) => {
      await this.locked(request, id, tx);
      const scope = this.memberships.within(organizationId, tx);
      const before = (await scope.counts([id])).get(id) ?? 0;
      const known = new Set(await scope.userIds(id, 'manual'));
      const missing = userIds.filter((userId) => !known.has(userId));
      const count = await this.insert(organizationId, id, missing, tx);
      if (missing.length > 0) await this.record(request, id, { added: missing }, tx);
      return { added: count - before, member_count: count };
    });
    this.changes.announce(organizationId);
    return result;
  }

  /** @throws {AppError} `conflict` for somebody whom the directory put there, `not_found` */
  async remove(request: OrganizationRequest, id: string, person: string): Promise<void> {
    await this.assertManaged(request, id);
    const { organizationId } = request;
    const member = existing(await this.members.find(organizationId, person), 'Member');
    const { userId } = member;
    await this.transactions.run(async (tx) => {
      await this.locked(request, id, tx);
      const scope = this.memberships.within(organizationId, tx);
      const sources = await scope.sourcesOf(id, userId);
      if (sources.length === 0) throw notFound('Member');
      if (!sources.includes('manual')) {
        throw new AppError(
          'conflict',
          "The institution's directory put this person into the group; remove them there",
          {
            reason: 'group.from_directory',
          },
        );
      }
      await scope.remove(id, [userId], 'manual');
      await this.record(request, id, { removed: [userId] }, tx);
    });
    this.changes.announce(organizationId);
  }

  private async assertManaged(request: OrganizationRequest, id: string): Promise<void> {
    assertManages(request.caller, (await this.groups.seen(request, id)).row);
  }

  /** Serialises changes of the members, and keeps the group from being deleted meanwhile. */
  private async locked({ caller, organizationId }: OrganizationRequest, id: string, tx: Transaction): Promise<void> {
    const row = existing(await this.stored.within(organizationId, tx).lock(id), 'Group');
    assertManages(caller, row);
  }

  private async insert(
    organizationId: string,
    groupId: string,
    userIds: readonly string[],
    tx: Transaction,
  ): Promise<number> {
    const scope = this.memberships.within(organizationId, tx);
    await scope.add(userIds.map((userId) => ({ groupId, userId, source: 'manual' })));
    return (await scope.counts([groupId])).get(groupId) ?? 0;
  }

  private async userIds(organizationId: string, people: readonly string[]): Promise<string[]> {
    const found = await Promise.all(people.map((person) => this.members.find(organizationId, person)));
    const problems = found.flatMap((member, index) =>
      member === null
        ? [{ path: `members[${index}]`, message: 'is not a member of the organization', code: 'member.unknown' }]
        : [],
    );
    if (problems.length > 0) throw invalid(problems);
    return [...new Set(found.flatMap((member) => member?.userId ?? []))];
  }

  private record(
    { caller, organizationId }: OrganizationRequest,
    id: string,
    after: { readonly added: readonly string[] } | { readonly removed: readonly string[] },
    tx: Transaction,
  ): Promise<void> {
    const target = { type: 'group', id };
    return this.audit.record({ caller, organizationId, action: 'group.members', target, after }, tx);
  }
}

const viewOf = ({ userId, email, name, disabled, sources, since }: GroupMemberRow): GroupMemberDto => ({
  user_id: userId,
  email,
  name,
  disabled,
  sources,
  since: since.toISOString(),
});

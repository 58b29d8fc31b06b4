import { uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import type { Transaction } from '../../infrastructure/database';
import type { ProvisionedBy } from '../members/member-provisioning.service';
import { GroupMemberRepository } from './group-member.repository';
import { type GroupEntity, groupNameKey } from './group.entity';
import { type DirectoryGroupFilter, GroupRepository } from './group.repository';

export interface DirectoryGroup {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  /** People by the source `scim`. */
  readonly userIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewDirectoryGroup = Pick<DirectoryGroup, 'name' | 'externalId' | 'userIds'>;

/**
 * The groups that a directory made over SCIM, and the memberships that it gave. Writes run in a transaction that holds the
 * lock of the organization.
 */
@Injectable()
export class DirectoryGroups {
  constructor(
    private readonly groups: GroupRepository,
    private readonly members: GroupMemberRepository,
    private readonly audit: AuditLog,
  ) {}

  /** Oldest first. `filter.name` is compared without regard to case. */
  async page(
    organizationId: string,
    { name, ...filter }: Omit<DirectoryGroupFilter, 'nameKey'> & { readonly name?: string },
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly groups: DirectoryGroup[]; readonly total: number }> {
    const named = name === undefined ? {} : { nameKey: groupNameKey(name) };
    const [rows, total] = await this.groups.within(organizationId).madeByDirectory({ ...filter, ...named }, page);
    return { groups: await this.withMembers(organizationId, rows), total };
  }

  async find(organizationId: string, id: string, tx?: Transaction): Promise<DirectoryGroup | null> {
    const row = await this.groups.within(organizationId, tx).find(id);
    if (row?.source !== 'scim') return null;
    const [found] = await this.withMembers(organizationId, [row], tx);
    return found ?? null;
  }

  /** Violates `groups_name_uq` or `groups_external_id_uq` where a group has the name or the external id. */
  async create(by: ProvisionedBy, group: NewDirectoryGroup, tx: Transaction): Promise<string> {
    const { organizationId } = by;
    const { name, externalId, userIds } = group;
    const id = uuidv7();
    const values = { id, name, nameKey: groupNameKey(name), externalId, source: 'scim' as const };
    await this.groups.within(organizationId, tx).insert(values);
    await this.join(organizationId, id, userIds, tx);
    await this.record(by, id, 'create', { after: { name, externalId, members: userIds } }, tx);
    return id;
  }

  /** Violates the same constraints as `create`. False when nothing changed. */
  async update(by: ProvisionedBy, old: DirectoryGroup, group: NewDirectoryGroup, tx: Transaction): Promise<boolean> {
    const { organizationId } = by;
    const { id } = old;
    const { name, externalId } = group;
    const [had, has] = [new Set(old.userIds), new Set(group.userIds)];
    const joined = [...has].filter((userId) => !had.has(userId));
    const left = [...had].filter((userId) => !has.has(userId));
    const isRenamed = name !== old.name || externalId !== old.externalId;
    if (!isRenamed && joined.length + left.length === 0) return false;
    const row = await this.groups.within(organizationId, tx).lock(id);
    if (row === null) return false;
    await this.groups.within(organizationId, tx).advance(row, { name, nameKey: groupNameKey(name), externalId });
    await this.join(organizationId, id, joined, tx);
    await this.members.within(organizationId, tx).remove(id, left, 'scim');
    const before = { name: old.name, externalId: old.externalId };
    await this.record(by, id, 'update', { before, after: { name, externalId, joined, left } }, tx);
    return true;
  }

  /** Ends every share with the group. */
  async remove(by: ProvisionedBy, { id, name, externalId }: DirectoryGroup, tx: Transaction): Promise<void> {
    await this.groups.within(by.organizationId, tx).remove(id);
    await this.record(by, id, 'delete', { before: { name, externalId } }, tx);
  }

  /** Ends the memberships that the directory gave to a person. */
  async leaveAll(organizationId: string, userId: string, tx: Transaction): Promise<void> {
    const members = this.members.within(organizationId, tx);
    await members.leave(userId, await members.groupIds(userId, 'scim'), 'scim');
  }

  private async withMembers(
    organizationId: string,
    rows: readonly GroupEntity[],
    tx?: Transaction,
  ): Promise<DirectoryGroup[]> {
    const ids = rows.map(({ id }) => id);
    const people = new Map<string, string[]>(ids.map((id) => [id, []]));
    for (const { groupId, userId } of await this.members.within(organizationId, tx).memberships(ids, 'scim')) {
      people.get(groupId)?.push(userId);
    }
    return rows.map(({ id, name, externalId, createdAt, updatedAt }) => ({
      id,
      name,
      externalId,
      userIds: people.get(id) ?? [],
      createdAt,
      updatedAt,
    }));
  }

  private join(organizationId: string, groupId: string, userIds: readonly string[], tx: Transaction): Promise<void> {
    const memberships = userIds.map((userId) => ({ groupId, userId, source: 'scim' as const }));
    return this.members.within(organizationId, tx).add(memberships);
  }

  private record(
    { organizationId, source }: ProvisionedBy,
    id: string,
    verb: 'create' | 'update' | 'delete',
    { before, after }: { readonly before?: object; readonly after?: object },
    tx: Transaction,
  ): Promise<void> {
    const target = { type: 'group', id };
    const record = {
      caller: null,
      organizationId,
      action: `group.${verb}`,
      target,
      before,
      after: { ...after, source },
    };
    return this.audit.record(record, tx);
  }
}

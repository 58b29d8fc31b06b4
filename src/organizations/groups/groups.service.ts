import {
  AppError,
  type Caller,
  type Page,
  type PageRequest,
  invalid,
  isOrganizationAdmin,
  isUuid,
  notFound,
  pageOf,
  textCursor,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog, VersionedResource } from '../../infrastructure/audit';
import { FreshCache } from '../../infrastructure/cache';
import { type Transaction, Transactions, isUniqueViolation } from '../../infrastructure/database';
import type { ProvisionedBy } from '../members/member-provisioning.service';
import type { OrganizationRequest } from '../organization/in-organization.decorator';
import { OrganizationChanges } from '../organization/settings.service';
import { GroupMemberRepository } from './group-member.repository';
import type { CreateGroupDto, GroupDto, UpdateGroupDto } from './group.dto';
import { type GroupEntity, type GroupMatch, groupNameKey } from './group.entity';
import { assertManages, mayManage, seesAllGroups } from './group.permissions';
import { GroupRepository } from './group.repository';

/** Age after which memberships are read again, should the signal of another replica get lost. */
const MAX_AGE_MS = 5_000;
const MAX_PEOPLE = 20_000;

interface KnownGroups {
  readonly organizationId: string;
  readonly ids: readonly string[];
}

/** The groups that a person is in. */
@Injectable()
export class GroupMemberships {
  private readonly known = new FreshCache<string, KnownGroups>({
    maxAge: MAX_AGE_MS,
    max: MAX_PEOPLE,
    load: (key) => this.load(key),
  });

  constructor(
    private readonly members: GroupMemberRepository,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.known.deleteWhere((each) => each.organizationId === organizationId));
  }

  /** Ids of the person's groups, at most 5 s old. A change of a group shows at once. */
  async idsOf(userId: string, organizationId: string): Promise<readonly string[]> {
    return (await this.known.get(`${organizationId}/${userId}`)).ids;
  }

  /** The same from fresh rows. */
  freshIdsOf(userId: string, organizationId: string): Promise<readonly string[]> {
    return this.members.within(organizationId).idsOf(userId);
  }

  private async load(key: string): Promise<KnownGroups> {
    const [organizationId = '', userId = ''] = key.split('/');
    return { organizationId, ids: await this.freshIdsOf(userId, organizationId) };
  }
}

/** Memberships that follow the claims of a sign-in, inside its transaction. */
@Injectable()
export class GroupProvisioning {
  constructor(
    private readonly groups: GroupRepository,
    private readonly members: GroupMemberRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The person's memberships of the source `sso` become the groups that the values name. Others stay. Null matches
   * nothing. The last sign-in decides, as it does about the role.
   */
  async follow(
    { organizationId, source }: ProvisionedBy,
    userId: string,
    { values, match }: { readonly values: readonly string[]; readonly match: GroupMatch | null },
    tx: Transaction,
  ): Promise<void> {
    const members = this.members.within(organizationId, tx);
    const found = match === null ? [] : await this.groups.within(organizationId, tx).matching(match, values);
    const wanted = found.map(({ id }) => id);
    const before = await members.groupIds(userId, 'sso');
    const joined = wanted.filter((id) => !before.includes(id));
    const left = before.filter((id) => !wanted.includes(id));
    if (joined.length + left.length === 0) return;
    await members.leave(userId, left, 'sso');
    await members.add(joined.map((groupId) => ({ groupId, userId, source: 'sso' })));
    const target = { type: 'member', id: userId };
    const after = { joined, left, issuer: source };
    await this.audit.record({ caller: null, organizationId, action: 'member.groups', target, after }, tx);
  }

  /** One group more, as if its manager had added the person; nothing for a group that was deleted. */
  async join(
    { organizationId, source }: ProvisionedBy,
    userId: string,
    groupId: string,
    tx: Transaction,
  ): Promise<void> {
    if ((await this.groups.within(organizationId, tx).find(groupId)) === null) return;
    const members = this.members.within(organizationId, tx);
    if ((await members.sourcesOf(groupId, userId)).includes('manual')) return;
    await members.add([{ groupId, userId, source: 'manual' }]);
    const target = { type: 'member', id: userId };
    const after = { joined: [groupId], left: [], issuer: source };
    await this.audit.record({ caller: null, organizationId, action: 'member.groups', target, after }, tx);
  }
}

interface SeenGroup {
  readonly row: GroupEntity;
  readonly isMember: boolean;
}

export type NamedGroup = Pick<GroupEntity, 'id' | 'name'>;

/** Groups for the people who manage or see them. */
@Injectable()
export class GroupsService {
  private readonly versions: VersionedResource<GroupEntity>;

  constructor(
    private readonly groups: GroupRepository,
    private readonly members: GroupMemberRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly changes: OrganizationChanges,
  ) {
    this.versions = new VersionedResource<GroupEntity>(transactions, audit, {
      type: 'group',
      label: 'Group',
      within: ({ organizationId }, tx) => groups.within(organizationId, tx),
      assertMayChange: assertManages,
    });
  }

  /** Sorted by name. */
  async list(
    { caller, organizationId }: OrganizationRequest,
    text: string | undefined,
    page: PageRequest,
  ): Promise<Page<GroupDto>> {
    const filter = {
      of: seesAllGroups(caller) ? null : caller.userId,
      text: text === undefined || text === '' ? null : groupNameKey(text),
    };
    const found = this.groups.within(organizationId).page(filter, page.limit + 1, textCursor(page.cursor));
    const [[rows, total], own] = await Promise.all([found, this.members.within(organizationId).idsOf(caller.userId)]);
    const cut = pageOf(rows, page.limit, ({ nameKey }) => nameKey);
    const counts = await this.members.within(organizationId).counts(cut.items.map(({ id }) => id));
    const items = cut.items.map((row) => viewOf(row, caller, counts.get(row.id) ?? 0, own.includes(row.id)));
    return { ...cut, items, total };
  }

  async get(request: OrganizationRequest, id: string): Promise<GroupDto> {
    return this.viewOf(request, await this.seen(request, id));
  }

  /** @throws {AppError} `conflict` when the name or the external id is taken, `forbidden` */
  async create(request: OrganizationRequest, input: CreateGroupDto): Promise<GroupDto> {
    const { caller, organizationId } = request;
    assertMayLink(caller, input);
    const { name, description = '', external_id: externalId = null } = input;
    const ownerId = isOrganizationAdmin(caller) ? null : caller.userId;
    const id = await takenAsConflict(
      this.transactions.once('group.create', async (tx) => {
        const id = uuidv7();
        const values = { name, description, externalId, ownerId };
        await this.groups.within(organizationId, tx).insert({ id, nameKey: groupNameKey(name), ...values });
        const target = { type: 'group', id };
        await this.audit.record({ caller, organizationId, action: 'group.create', target, after: values }, tx);
        return id;
      }),
    );
    return this.get(request, id);
  }

  /** @throws {AppError} `precondition_failed`, and what `create` throws */
  async update(
    request: OrganizationRequest,
    id: string,
    input: UpdateGroupDto,
    expected: number | null,
  ): Promise<GroupDto> {
    const { caller, organizationId } = request;
    const { isMember } = await this.seen(request, id);
    assertMayLink(caller, input);
    const row = await takenAsConflict(
      this.versions.change({ caller: { ...caller, organizationId }, id, expected }, 'update', (row) => {
        const after = {
          name: input.name ?? row.name,
          description: input.description ?? row.description,
          externalId: input.external_id === undefined ? row.externalId : input.external_id,
        };
        const { name, description, externalId } = row;
        const isOther = after.name !== name || after.externalId !== externalId;
        if (isOther && row.source === 'scim') {
          throw new AppError('conflict', 'The directory sets the name and the external id of this group', {
            reason: 'group.named_by_directory',
          });
        }
        if (!isOther && after.description === description) return null;
        const values = { ...after, nameKey: groupNameKey(after.name) };
        return { values, before: { name, description, externalId }, after };
      }),
    );
    return this.viewOf(request, { row, isMember });
  }

  /** Ends every share with the group. */
  async remove(request: OrganizationRequest, id: string, expected: number | null): Promise<void> {
    await this.seen(request, id);
    const { organizationId } = request;
    const caller = { ...request.caller, organizationId };
    await this.versions.remove({ caller, id, expected }, ({ name, externalId }) => ({ name, externalId }));
    this.changes.announce(organizationId);
  }

  /** @throws {AppError} `not_found` for groups that do not exist or that the caller does not see */
  async seen({ caller, organizationId }: OrganizationRequest, id: string): Promise<SeenGroup> {
    const [row, sources] = isUuid(id)
      ? await Promise.all([
          this.groups.within(organizationId).find(id),
          this.members.within(organizationId).sourcesOf(id, caller.userId),
        ])
      : [null, []];
    const isMember = sources.length > 0;
    if (row === null || !(seesAllGroups(caller) || isMember || row.ownerId === caller.userId)) throw notFound('Group');
    return { row, isMember };
  }

  /** Groups of the organization with these ids, by name. Callers check the right to see them. */
  async named(organizationId: string, ids: readonly string[]): Promise<readonly NamedGroup[]> {
    const rows = await this.groups.within(organizationId).named(ids);
    return rows.map(({ id, name }) => ({ id, name }));
  }

  /**
   * Ids of groups to share with. `pathOf` names an entry of the request.
   * @throws {AppError} `validation_failed` for groups that the organization does not have
   */
  async assertExist(organizationId: string, ids: readonly string[], pathOf: (index: number) => string): Promise<void> {
    const known = new Set((await this.groups.within(organizationId).named(ids)).map(({ id }) => id));
    const problems = ids.flatMap((id, index) =>
      known.has(id) ? [] : [{ path: pathOf(index), message: 'is not a group of this organization' }],
    );
    if (problems.length > 0) throw invalid(problems);
  }

  private async viewOf(
    { caller, organizationId }: OrganizationRequest,
    { row, isMember }: SeenGroup,
  ): Promise<GroupDto> {
    const counts = await this.members.within(organizationId).counts([row.id]);
    return viewOf(row, caller, counts.get(row.id) ?? 0, isMember);
  }
}

/** The external id decides whom a directory puts into the group. */
function assertMayLink(caller: Caller, { external_id: externalId }: UpdateGroupDto): void {
  if (externalId === undefined || externalId === null || isOrganizationAdmin(caller)) return;
  throw new AppError('forbidden', 'Only administrators may set the external id of a group', {
    reason: 'group.external_id',
  });
}

async function takenAsConflict<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error, 'groups_name_uq')) throw taken('name', 'A group with this name exists');
    if (isUniqueViolation(error, 'groups_external_id_uq')) {
      throw taken('external_id', 'A group with this external id exists');
    }
    throw error;
  }
}

const taken = (path: string, detail: string): AppError =>
  new AppError('conflict', detail, { problems: [{ path, message: 'is taken', code: 'value.taken' }] });

const viewOf = (row: GroupEntity, caller: Caller, memberCount: number, isMember: boolean): GroupDto => ({
  id: row.id,
  name: row.name,
  description: row.description,
  external_id: row.externalId,
  owner_id: row.ownerId,
  source: row.source,
  member_count: memberCount,
  is_member: isMember,
  may_manage: mayManage(caller, row),
  version: row.version,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

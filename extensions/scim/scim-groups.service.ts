import { type Caller, existing, isJsonObject, isUuid, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions, isUniqueViolation } from '../../src/infrastructure/database';
import { ScimError } from '../../src/infrastructure/http';
import {
  type DirectoryGroup,
  DirectoryGroups,
  MemberProvisioning,
  OrganizationChanges,
  type ProvisionedBy,
} from '../../src/organizations';
import type { Equality, ListQuery } from './protocol/list-query';
import { type PatchOperation, invalidValue, member, textOf } from './protocol/patch';
import { ScimUserRepository } from './users/scim-user.repository';

export interface ScimGroupValues {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Ids of users. */
  readonly members: readonly string[];
}

const MOST_TEXT = 200;
const MOST_ID = 255;

/** The group of a body of POST or PUT. @throws {ScimError} `invalidSyntax`, `invalidValue` */
export function groupOf(body: unknown): ScimGroupValues {
  if (!isJsonObject(body)) throw new ScimError('invalidSyntax', 'The body must be a JSON object');
  const displayName = textOf(member(body, 'displayname'), 'displayName', MOST_TEXT);
  if (displayName === null) throw invalidValue('displayName must be given');
  return {
    displayName,
    externalId: textOf(member(body, 'externalid'), 'externalId', MOST_ID),
    members: memberIds(member(body, 'members')),
  };
}

function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const ids = values.map((each, index) => {
    const id = typeof each === 'string' ? each : member(each, 'value');
    if (typeof id !== 'string' || id === '') throw invalidValue(`members[${index}].value must be the id of a user`);
    return id.toLowerCase();
  });
  return [...new Set(ids)];
}

/** The group after the operations, checked like a new one. */
export function patchedGroup(group: ScimGroupValues, operations: readonly PatchOperation[]): ScimGroupValues {
  const draft: Record<string, unknown> = { ...group };
  const members = new Set(group.members);
  for (const operation of operations) {
    const { op, attribute, value } = operation;
    if (attribute === 'displayname') draft['displayName'] = op === 'remove' ? null : value;
    else if (attribute === 'externalid') draft['externalId'] = op === 'remove' ? null : value;
    else if (attribute === 'members') patchMembers(members, operation);
  }
  return groupOf({ ...draft, members: [...members] });
}

function patchMembers(members: Set<string>, { op, filter, value }: PatchOperation): void {
  const named = memberIds(value);
  if (op === 'replace' && filter === null) members.clear();
  if (op !== 'remove') {
    for (const id of named) members.add(id);
  } else if (filter !== null) {
    for (const id of [...members]) if (filter.matches({ value: id })) members.delete(id);
  } else if (value === undefined || value === null) {
    members.clear();
  } else {
    for (const id of named) members.delete(id);
  }
}

const FILTERS: ReadonlyMap<string, 'name' | 'externalId' | 'memberId' | 'id'> = new Map([
  ['displayname', 'name'],
  ['externalid', 'externalId'],
  ['members.value', 'memberId'],
  ['members', 'memberId'],
  ['id', 'id'],
]);

/** Groups of a directory, with its users as members. */
@Injectable()
export class ScimGroups {
  constructor(
    private readonly groups: DirectoryGroups,
    private readonly users: ScimUserRepository,
    private readonly provisioning: MemberProvisioning,
    private readonly transactions: Transactions,
    private readonly changes: OrganizationChanges,
  ) {}

  async page(
    { organizationId }: Caller,
    { conditions, startIndex, count }: ListQuery,
  ): Promise<{ readonly groups: DirectoryGroup[]; readonly total: number }> {
    const filter = filterOf(conditions);
    if (filter === null) return { groups: [], total: 0 };
    return this.groups.page(organizationId, filter, { offset: startIndex - 1, limit: count });
  }

  /** @throws {AppError} `not_found` */
  async get({ organizationId }: Caller, id: string, tx?: Transaction): Promise<DirectoryGroup> {
    return existing(isUuid(id) ? await this.groups.find(organizationId, id, tx) : null, 'Group');
  }

  /** @throws {ScimError} `uniqueness`, `invalidValue` for members that are no users of the directory */
  async create(caller: Caller, values: ScimGroupValues): Promise<DirectoryGroup> {
    const id = await this.locked(caller, async (by, tx) => {
      await this.assertUsers(caller, values.members, tx);
      return this.groups.create(by, newGroupOf(values), tx);
    });
    return this.get(caller, id);
  }

  /** @throws {AppError} `not_found`, and what `create` throws */
  replace(caller: Caller, id: string, values: ScimGroupValues): Promise<DirectoryGroup> {
    return this.change(caller, id, () => values);
  }

  /** @throws {AppError} like `replace` */
  patch(caller: Caller, id: string, operations: readonly PatchOperation[]): Promise<DirectoryGroup> {
    return this.change(caller, id, (old) => patchedGroup(old, operations));
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.locked(caller, async (by, tx) => this.groups.remove(by, await this.get(caller, id, tx), tx));
  }

  private async change(
    caller: Caller,
    id: string,
    change: (old: ScimGroupValues) => ScimGroupValues,
  ): Promise<DirectoryGroup> {
    await this.locked(caller, async (by, tx) => {
      const old = await this.get(caller, id, tx);
      const { name, externalId, userIds } = old;
      const values = change({ displayName: name, externalId, members: userIds });
      const had = new Set(userIds);
      await this.assertUsers(
        caller,
        values.members.filter((userId) => !had.has(userId)),
        tx,
      );
      await this.groups.update(by, old, newGroupOf(values), tx);
    });
    return this.get(caller, id);
  }

  private async assertUsers({ organizationId }: Caller, ids: readonly string[], tx: Transaction): Promise<void> {
    const known = await this.users.within(organizationId, tx).known(ids.filter(isUuid));
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    const named = unknown.slice(0, 10).join(', ');
    throw invalidValue(`Not the id of a user of this directory: ${named}${unknown.length > 10 ? ', …' : ''}`);
  }

  /** Changes of members of one organization queue behind its row. */
  private async locked<T>(caller: Caller, work: (by: ProvisionedBy, tx: Transaction) => Promise<T>): Promise<T> {
    const by = { organizationId: caller.organizationId, source: `scim:${caller.credentialId ?? ''}` };
    try {
      const result = await this.transactions.run(async (tx) => {
        if (!(await this.provisioning.lock(caller.organizationId, tx))) throw notFound('Organization');
        return work(by, tx);
      });
      this.changes.announce(caller.organizationId);
      return result;
    } catch (error) {
      if (isUniqueViolation(error, 'groups_name_uq')) {
        throw new ScimError('uniqueness', 'A group of this organization has this name already');
      }
      if (isUniqueViolation(error, 'groups_external_id_uq')) {
        throw new ScimError('uniqueness', 'A group of this organization has this externalId already');
      }
      throw error;
    }
  }
}

const newGroupOf = ({ displayName: name, externalId, members: userIds }: ScimGroupValues) => ({
  name,
  externalId,
  userIds,
});

/** Null where no group can match. @throws {ScimError} `invalidFilter` */
function filterOf(conditions: readonly Equality[]): Parameters<DirectoryGroups['page']>[1] | null {
  const filter: Record<string, string> = {};
  for (const { attribute, value } of conditions) {
    const name = FILTERS.get(attribute);
    if (name === undefined || typeof value !== 'string') {
      throw new ScimError('invalidFilter', 'Groups are found by displayName, externalId, members and id');
    }
    if ((name === 'id' || name === 'memberId') && !isUuid(value)) return null;
    if (filter[name] !== undefined && filter[name] !== value) return null;
    filter[name] = value;
  }
  return filter;
}

import { Injectable } from '@nestjs/common';
import { In, IsNull, type SelectQueryBuilder } from 'typeorm';
import { VersionedScope, tenantRepository } from '../../infrastructure/database';
import { GroupMemberEntity } from './group-member.entity';
import { GroupEntity, type GroupMatch, groupNameKey } from './group.entity';

/** Groups that a directory made. */
export interface DirectoryGroupFilter {
  readonly id?: string;
  readonly nameKey?: string;
  readonly externalId?: string;
  /** A member by the source `scim`. */
  readonly memberId?: string;
}

export interface GroupFilter {
  /** Sees only the groups that this person is in or owns; null sees all. */
  readonly of: string | null;
  /** Part of the name. */
  readonly text: string | null;
}

export class GroupScope extends VersionedScope<GroupEntity> {
  named(ids: readonly string[]): Promise<GroupEntity[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.rows.find({ where: this.where({ id: In([...ids]) }), order: { nameKey: 'ASC' } });
  }

  /** Groups that values of a claim name. By name, only groups of the administrators count: a teacher may take any name. */
  matching(match: GroupMatch, values: readonly string[]): Promise<GroupEntity[]> {
    if (values.length === 0) return Promise.resolve([]);
    return this.rows.findBy(
      match === 'external_id'
        ? this.where({ externalId: In([...values]) })
        : this.where({ nameKey: In(values.map(groupNameKey)), ownerId: IsNull() }),
    );
  }

  /** Sorted by name. `after` is the `nameKey` of the last item of the previous page. */
  async page(filter: GroupFilter, limit: number, after: string | null): Promise<[GroupEntity[], number]> {
    const total = await this.filtered(filter).getCount();
    const query = this.filtered(filter);
    if (after !== null) query.andWhere('group.nameKey > :after', { after });
    return [await query.orderBy('group.nameKey', 'ASC').limit(limit).getMany(), total];
  }

  /** Oldest first. */
  async madeByDirectory(
    { id, nameKey, externalId, memberId }: DirectoryGroupFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<[GroupEntity[], number]> {
    const query = this.rows
      .createQueryBuilder('group')
      .where('group.organizationId = :organization', { organization: this.organizationId })
      .andWhere(`group.source = 'scim'`);
    if (id !== undefined) query.andWhere('group.id = :id', { id });
    if (nameKey !== undefined) query.andWhere('group.nameKey = :nameKey', { nameKey });
    if (externalId !== undefined) query.andWhere('group.externalId = :externalId', { externalId });
    if (memberId !== undefined) {
      const joined = query
        .subQuery()
        .select('membership.groupId')
        .from(GroupMemberEntity, 'membership')
        .where(`membership.userId = :memberId AND membership.source = 'scim'`);
      query.andWhere(`group.id IN ${joined.getQuery()}`, { memberId });
    }
    const total = await query.getCount();
    if (limit === 0) return [[], total];
    query.orderBy('group.createdAt', 'ASC').addOrderBy('group.id', 'ASC').offset(offset).limit(limit);
    return [await query.getMany(), total];
  }

  private filtered({ of, text }: GroupFilter): SelectQueryBuilder<GroupEntity> {
    const query = this.rows
      .createQueryBuilder('group')
      .where('group.organizationId = :organization', { organization: this.organizationId });
    if (text !== null) query.andWhere('strpos(group.nameKey, :text) > 0', { text });
    if (of === null) return query;
    const joined = query
      .subQuery()
      .select('membership.groupId')
      .from(GroupMemberEntity, 'membership')
      .where('membership.organizationId = :organization AND membership.userId = :of');
    return query.andWhere(`(group.ownerId = :of OR group.id IN ${joined.getQuery()})`, { of });
  }
}

@Injectable()
export class GroupRepository extends tenantRepository(GroupEntity, () => GroupScope) {}

import { Injectable } from '@nestjs/common';
import { In, type Repository } from 'typeorm';
import { batches, tenantRepository } from '../../infrastructure/database';
import { GroupMemberEntity } from './group-member.entity';
import type { MembershipSource } from './group.entity';

export interface GroupMemberRow {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly sources: MembershipSource[];
  readonly since: Date;
}

const BATCH = 1_000;

/** Memberships of one organization. */
export class GroupMemberScope {
  constructor(
    private readonly rows: Repository<GroupMemberEntity>,
    private readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A tenant scope needs an organization');
  }

  /** Ids of the person's groups. */
  async idsOf(userId: string): Promise<string[]> {
    const found = await this.rows.find({
      select: { groupId: true },
      where: { organizationId: this.organizationId, userId },
    });
    return [...new Set(found.map(({ groupId }) => groupId))];
  }

  /** Number of people by group. */
  async counts(groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (groupIds.length === 0) return new Map();
    const found = await this.rows
      .createQueryBuilder('membership')
      .select('membership.group_id', 'groupId')
      .addSelect('count(DISTINCT membership.user_id)::int', 'people')
      .where({ organizationId: this.organizationId, groupId: In([...groupIds]) })
      .groupBy('membership.group_id')
      .getRawMany<{ groupId: string; people: number }>();
    return new Map(found.map(({ groupId, people }) => [groupId, people]));
  }

  /** Sorted by address; one row for each person. */
  page(groupId: string, limit: number, after: string | null): Promise<GroupMemberRow[]> {
    const page = this.rows
      .createQueryBuilder('membership')
      .innerJoin('membership.member', 'member')
      .innerJoin('member.person', 'person')
      .select('membership.user_id', 'userId')
      .addSelect('person.email', 'email')
      .addSelect('member.name', 'name')
      .addSelect('member.disabled', 'disabled')
      .addSelect('array_agg(membership.source ORDER BY membership.source)', 'sources')
      .addSelect('min(membership.created_at)', 'since')
      .where('membership.organization_id = :organizationId', { organizationId: this.organizationId })
      .andWhere('membership.group_id = :groupId', { groupId })
      .groupBy('membership.user_id, person.email, member.name, member.disabled')
      .orderBy('person.email', 'ASC')
      .limit(limit);
    if (after !== null) page.andWhere('person.email > :after', { after });
    return page.getRawMany<GroupMemberRow>();
  }

  async sourcesOf(groupId: string, userId: string): Promise<MembershipSource[]> {
    const found = await this.rows.findBy({ organizationId: this.organizationId, groupId, userId });
    return found.map(({ source }) => source);
  }

  /** People who are in the group by one source. */
  async userIds(groupId: string, source: MembershipSource): Promise<string[]> {
    const found = await this.rows.find({
      select: { userId: true },
      where: { organizationId: this.organizationId, groupId, source },
    });
    return found.map(({ userId }) => userId);
  }

  /** The same for several groups. */
  memberships(groupIds: readonly string[], source: MembershipSource): Promise<GroupMemberEntity[]> {
    if (groupIds.length === 0) return Promise.resolve([]);
    return this.rows.find({
      where: { organizationId: this.organizationId, groupId: In([...groupIds]), source },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
  }

  /** Groups that the person is in by one source. */
  async groupIds(userId: string, source: MembershipSource): Promise<string[]> {
    const found = await this.rows.find({
      select: { groupId: true },
      where: { organizationId: this.organizationId, userId, source },
    });
    return found.map(({ groupId }) => groupId);
  }

  /** Leaves memberships that exist. The people must be members of the organization. */
  async add(memberships: readonly Pick<GroupMemberEntity, 'groupId' | 'userId' | 'source'>[]): Promise<void> {
    for (const batch of batches(memberships, BATCH)) {
      const values = batch.map((each) => ({ ...each, organizationId: this.organizationId }));
      await this.rows.createQueryBuilder().insert().values(values).orIgnore().execute();
    }
  }

  async remove(groupId: string, userIds: readonly string[], source: MembershipSource): Promise<void> {
    for (const batch of batches(userIds, BATCH)) {
      await this.rows.delete({ organizationId: this.organizationId, groupId, source, userId: In([...batch]) });
    }
  }

  async leave(userId: string, groupIds: readonly string[], source: MembershipSource): Promise<void> {
    for (const batch of batches(groupIds, BATCH)) {
      await this.rows.delete({ organizationId: this.organizationId, userId, source, groupId: In([...batch]) });
    }
  }
}

@Injectable()
export class GroupMemberRepository extends tenantRepository(GroupMemberEntity, () => GroupMemberScope) {}

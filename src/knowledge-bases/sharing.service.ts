import { AppError, type Caller, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { GroupsService, MembersService, OrganizationsService } from '../organizations';
import { AuditLog } from '../infrastructure/audit';
import { Transactions } from '../infrastructure/database';
import type { KnowledgeBaseSharesDto, ShareWithDto } from './knowledge-base.dto';
import type { KnowledgeBaseEntity } from './storage/knowledge-base.entity';
import { KnowledgeBaseRepository, type NewReaders } from './storage/knowledge-base.repository';
import type { KnowledgeBaseVisibility } from './storage/knowledge-base.types';

/** Access grants of a knowledge base, for organizations that allow sharing. */
@Injectable()
export class SharingService {
  constructor(
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
    private readonly groups: GroupsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Visibility for the organization counts as sharing. @throws {AppError} `feature_disabled` */
  async assertMayShow(caller: Caller, visibility: KnowledgeBaseVisibility | undefined): Promise<void> {
    if (visibility === 'organization') await this.assertMayShare(caller);
  }

  async list({ organizationId, id }: KnowledgeBaseEntity): Promise<KnowledgeBaseSharesDto> {
    const { userIds, groupIds } = await this.knowledgeBases.sharedWith(organizationId, id);
    const [members, groups] = await Promise.all([
      Promise.all(userIds.map((userId) => this.members.find(organizationId, userId))),
      this.groups.named(organizationId, groupIds),
    ]);
    return {
      users: members.flatMap((member) =>
        member === null ? [] : [{ user_id: member.userId, email: member.email, name: member.name }],
      ),
      groups: groups.map((group) => ({ group_id: group.id, name: group.name })),
    };
  }

  /** `users` are ids or e-mail addresses. Absent groups stay. */
  async replace(
    caller: Caller,
    knowledgeBase: KnowledgeBaseEntity,
    { users, groups }: ShareWithDto,
  ): Promise<KnowledgeBaseSharesDto> {
    const { organizationId, id } = knowledgeBase;
    if (users.length + (groups ?? []).length > 0) await this.assertMayShare(caller);
    const userIds = await this.userIds(organizationId, users);
    const others = userIds.filter((userId) => userId !== knowledgeBase.ownerId);
    await this.groups.assertExist(organizationId, groups ?? [], (index) => `groups[${index}]`);
    const stored = await this.knowledgeBases.sharedWith(organizationId, id);
    const readers = { userIds: others, groupIds: groups && [...new Set(groups)] };
    const shown = ({ userIds, groupIds = stored.groupIds }: NewReaders): object => ({
      users: userIds,
      groups: groupIds,
    });
    await this.transactions.run(async (tx) => {
      await this.knowledgeBases.share(organizationId, id, readers, tx);
      const target = { type: 'knowledge_base', id };
      const [before, after] = [shown(stored), shown(readers)];
      await this.audit.record({ caller, action: 'knowledge_base.share', target, before, after }, tx);
    });
    return this.list(knowledgeBase);
  }

  private async userIds(organizationId: string, users: readonly string[]): Promise<string[]> {
    const found = await Promise.all(users.map((user) => this.members.find(organizationId, user)));
    const problems = found.flatMap((member, index) =>
      member === null
        ? [{ path: `users[${index}]`, message: 'is not a member of the organization', code: 'member.unknown' }]
        : [],
    );
    if (problems.length > 0) throw invalid(problems);
    return [...new Set(found.flatMap((member) => member?.userId ?? []))];
  }

  private async assertMayShare({ organizationId }: Caller): Promise<void> {
    const { features } = await this.organizations.runtime(organizationId);
    if (!features.sharing) throw new AppError('feature_disabled', 'The organization has switched sharing off');
  }
}

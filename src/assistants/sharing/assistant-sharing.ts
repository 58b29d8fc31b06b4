import { AppError, type Caller, NO_ASSISTANT, type Principal, type Problem, SCOPES, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { LinkedAssistants } from '../../files';
import { GroupsService, type Member, MembersService, OrganizationsService } from '../../organizations';
import { AssistantLookup } from '../access/assistant-lookup';
import { AssistantRecords } from '../editing/assistant-records';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import type { GroupShareDto, GroupShareViewDto, ShareDto, ShareViewDto, SharesDto } from './share.dto';

/** Checks at every request whether a signed link of an assistant is still valid. */
@Injectable()
export class SignedLinkCheck implements LinkedAssistants {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly lookup: AssistantLookup,
  ) {}

  /** Image links need no credential and may be forwarded, so the right to use the assistant is not checked. */
  async isLive(organizationId: string, id: number): Promise<boolean> {
    return id === NO_ASSISTANT || (await this.assistants.within(organizationId).find(id))?.disabled === false;
  }

  async mayUse({ organizationId, userId }: Principal, id: number): Promise<boolean> {
    const member = await this.members.find(organizationId, userId);
    if (member === null) return false;
    // Only the author of a draft gets its links, and the author's own rights on the content are checked as well.
    if (id === NO_ASSISTANT) return !member.disabled;
    const { role, systemAdmin } = member;
    // A click carries no credential that would narrow the reader's rights.
    const reader = { organizationId, userId, role, systemAdmin, scopes: SCOPES, assistantIds: null };
    return (await this.lookup.find(reader, id))?.row.disabled === false;
  }
}

export interface WantedShares {
  /** Absent: the people stay. */
  readonly people: readonly ShareDto[] | undefined;
  /** Absent: the groups stay. */
  readonly groups: readonly GroupShareDto[] | undefined;
  /** Name of the list of people in the request, for problems. */
  readonly path: string;
}

/** The people and groups with whom an assistant is shared. */
@Injectable()
export class AssistantSharing {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly groups: GroupsService,
    private readonly organizations: OrganizationsService,
    private readonly records: AssistantRecords,
  ) {}

  async list(caller: Caller, id: number): Promise<SharesDto> {
    const { row } = await this.lookup.configurable(caller, id);
    const [shares, groups] = await Promise.all([this.people(row), this.groupsOf(row)]);
    return { shares, groups };
  }

  /** Replaces the lists that are given; an entry for the owner has no effect. */
  async replace(caller: Caller, id: number, { people, groups, path }: WantedShares): Promise<SharesDto> {
    const { row } = await this.lookup.administered(caller, id);
    const { organizationId } = row;
    const { features } = await this.organizations.runtime(organizationId);
    if ((people ?? []).length + (groups ?? []).length > 0 && !features.sharing)
      throw new AppError('feature_disabled', 'Sharing is switched off in this organization');
    const found = people === undefined ? undefined : await this.resolve(organizationId, people, path);
    found?.delete(row.ownerId);
    const ids = (groups ?? []).map(({ group_id }) => group_id);
    await this.groups.assertExist(organizationId, ids, (index) => `groups[${index}].group_id`);
    const rights = new Map(groups?.map(({ group_id, access }) => [group_id, access ?? 'use']));
    await this.records.share(caller, row, {
      people: found && [...found].map(([userId, access]) => ({ userId, access })),
      groups: groups && [...rights].map(([groupId, access]) => ({ groupId, access })),
    });
    return this.list(caller, id);
  }

  private async people({ id, organizationId }: AssistantEntity): Promise<ShareViewDto[]> {
    const shares = await this.assistants.within(organizationId).shares.people([id]);
    const views: ShareViewDto[] = [];
    for (const { userId, access } of shares) {
      const member = await this.members.find(organizationId, userId);
      views.push({ user_id: userId, email: member?.email ?? null, name: member?.name ?? null, access });
    }
    return views;
  }

  /** Sorted by name. */
  private async groupsOf({ id, organizationId }: AssistantEntity): Promise<GroupShareViewDto[]> {
    const shares = await this.assistants.within(organizationId).shares.groups([id]);
    const rights = new Map(shares.map(({ groupId, access }) => [groupId, access]));
    const named = await this.groups.named(organizationId, [...rights.keys()]);
    return named.map((group) => ({ group_id: group.id, name: group.name, access: rights.get(group.id) ?? 'use' }));
  }

  private async resolve(
    organizationId: string,
    shares: readonly ShareDto[],
    path: string,
  ): Promise<Map<string, 'use' | 'edit'>> {
    const found = new Map<string, 'use' | 'edit'>();
    const problems: Problem[] = [];
    for (const [index, { user_id, email, access }] of shares.entries()) {
      const member: Member | null = await this.members.find(organizationId, user_id ?? email ?? '');
      if (member === null) {
        problems.push({
          path: `${path}[${index}]`,
          message: 'is not a member of this organization',
          code: 'share.not_a_member',
          values: { email: email ?? user_id ?? '' },
        });
      } else found.set(member.userId, access ?? 'use');
    }
    if (problems.length > 0) throw invalid(problems);
    return found;
  }
}

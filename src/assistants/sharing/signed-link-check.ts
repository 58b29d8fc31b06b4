import { Injectable } from '@nestjs/common';
import type { LinkedAssistants } from '../../files';
import { type Principal, SCOPES } from '../../kernel';
import { MembersService, OrganizationsService } from '../../organizations';
import { accessLevel } from '../access/assistant.permissions';
import { AssistantRepository } from '../storage/assistant.repository';

/** Checks at every request whether a signed link of an assistant is still valid. */
@Injectable()
export class SignedLinkCheck implements LinkedAssistants {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** Image links need no credential and may be forwarded, so the right to use the assistant is not checked. */
  async isLive(organizationId: string, id: number): Promise<boolean> {
    return (await this.assistants.within(organizationId).find(id))?.disabled === false;
  }

  async mayUse({ organizationId, userId }: Principal, id: number): Promise<boolean> {
    const scope = this.assistants.within(organizationId);
    const [member, row, shares] = await Promise.all([
      this.members.find(organizationId, userId),
      scope.find(id),
      scope.shares([id]),
    ]);
    if (member === null || row === null || row.disabled) return false;
    const { role, systemAdmin } = member;
    const share = shares.find((each) => each.userId === userId)?.access;
    // A click carries no credential that would narrow what its reader may do.
    const reader = { organizationId, userId, role, systemAdmin, scopes: SCOPES, assistantIds: null };
    const { features } = await this.organizations.runtime(organizationId);
    return accessLevel(reader, row, { share, membersUseAll: features.members_can_use_all }) !== null;
  }
}

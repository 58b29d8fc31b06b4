import { Injectable } from '@nestjs/common';
import { type Principal, SCOPES } from '../kernel';
import { SourceLinks } from '../knowledge-bases';
import { MembersService, OrganizationsService } from '../organizations';
import { accessLevel } from './assistant.permissions';
import { AssistantRepository } from './storage/assistant.repository';

/** Tells, at every click on a link that an assistant gave, whether its reader may still use that assistant. */
@Injectable()
export class SourceLinkCheck {
  constructor(
    links: SourceLinks,
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
  ) {
    links.checkAssistantsBy((reader, id) => this.mayUse(reader, id));
  }

  private async mayUse({ organizationId, userId }: Principal, id: number): Promise<boolean> {
    const scope = this.assistants.within(organizationId);
    const [member, row, shares] = await Promise.all([
      this.members.find(organizationId, userId),
      scope.find(id),
      scope.shares([id]),
    ]);
    if (member === null || row === null) return false;
    const { role, systemAdmin } = member;
    const share = shares.find((each) => each.userId === userId)?.access;
    // A click carries no credential that would narrow what its reader may do.
    const reader = { organizationId, userId, role, systemAdmin, scopes: SCOPES, assistantIds: null };
    const { members_can_use_all } = (await this.organizations.runtime(organizationId)).features;
    return accessLevel(reader, row, { share, members_can_use_all }) !== null;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { MembersService, OrganizationStatusService } from '../organizations';
import { LINKED_ASSISTANTS, type LinkedAssistants } from './linked-assistants.token';
import type { StampedImage } from './image-link-token';

/** Decides whether a signed link is still valid. */
@Injectable()
export class LinkCheck {
  constructor(
    private readonly members: MembersService,
    private readonly status: OrganizationStatusService,
    @Inject(LINKED_ASSISTANTS) private readonly assistants: LinkedAssistants,
  ) {}

  async showsImage({ organizationId, ownerId, assistantId }: StampedImage): Promise<boolean> {
    if (!(await this.areActive(organizationId, [ownerId]))) return false;
    return assistantId === null || this.assistants.isLive(organizationId, assistantId);
  }

  /** Whether the organization is not suspended and all users are enabled members. */
  async areActive(organizationId: string, userIds: readonly string[]): Promise<boolean> {
    const organization = (await this.status.of([organizationId])).get(organizationId);
    if (organization?.suspended !== false) return false;
    for (const userId of new Set(userIds)) {
      if ((await this.members.find(organizationId, userId))?.disabled !== false) return false;
    }
    return true;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { MembersService, StandingService } from '../organizations';
import { LINKED_ASSISTANTS, type LinkedAssistants } from './linked-assistants.token';
import type { StampedImage } from './image-link-token';

/** Decides whether a link still shows its image: organization, owner and assistant exist and are enabled. */
@Injectable()
export class ImageLinkCheck {
  constructor(
    private readonly members: MembersService,
    private readonly standing: StandingService,
    @Inject(LINKED_ASSISTANTS) private readonly assistants: LinkedAssistants,
  ) {}

  async allows({ organizationId, ownerId, assistantId }: StampedImage): Promise<boolean> {
    const organization = (await this.standing.of([organizationId])).get(organizationId);
    if (organization?.suspended !== false) return false;
    const owner = await this.members.find(organizationId, ownerId);
    if (owner?.disabled !== false) return false;
    return assistantId === null || this.assistants.isLive(organizationId, assistantId);
  }
}

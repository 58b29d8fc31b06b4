import { Injectable } from '@nestjs/common';
import type { LinkedAssistants } from '../../files';
import { NO_ASSISTANT, type Principal, SCOPES } from '../../kernel';
import { MembersService } from '../../organizations';
import { AssistantLookup } from '../access/assistant-lookup';
import { AssistantRepository } from '../storage/assistant.repository';

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

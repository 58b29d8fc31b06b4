import { type Caller, isTextPart, isUuid, type Page, type PageRequest, type Source } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { SourceLinks } from '../knowledge-bases';
import { AnswerSettlement } from './answer-settlement.service';
import type { Message } from './conversation-message.entity';
import {
  type ActivityConversation,
  ActivityConversationRepository,
  type ReadablePerson,
} from './activity-conversation.repository';

/** Longer than any hash: the token of a link, whole or cut off. It names the person who got it. */
const TOKEN = /[0-9a-f]{150,}/gi;

export interface ReadActivityConversation {
  readonly conversation: ActivityConversation;
  readonly messages: readonly Message[];
}

/** Reads conversations of an activity for other people. The caller of this service has checked their right to it. */
@Injectable()
export class ActivityConversations {
  constructor(
    private readonly conversations: ActivityConversationRepository,
    private readonly settlement: AnswerSettlement,
    private readonly links: SourceLinks,
  ) {}

  page(
    { organizationId }: Caller,
    activityId: string,
    people: readonly ReadablePerson[],
    page: PageRequest,
  ): Promise<Page<ActivityConversation>> {
    return this.conversations.page(organizationId, activityId, people, page);
  }

  /**
   * Null for a conversation that is not there, or not readable. Answers whose run has ended are settled first. Links open
   * with the reader's own rights.
   */
  async read(
    caller: Caller,
    activityId: string,
    people: readonly ReadablePerson[],
    id: string,
  ): Promise<ReadActivityConversation | null> {
    const { organizationId } = caller;
    const conversation = isUuid(id) ? await this.conversations.find(organizationId, activityId, people, id) : null;
    const person = people.find(({ userId }) => userId === conversation?.userId);
    if (conversation === null || person === undefined) return null;
    const stored = await this.conversations.messages(organizationId, id, person.since);
    const isSettled = await this.settlement.settle(caller, stored);
    const messages = isSettled ? await this.conversations.messages(organizationId, id, person.since) : stored;
    return { conversation, messages: messages.map((message) => this.forReader(message)) };
  }

  private forReader(message: Message): Message {
    const plain = (text: string): string => this.links.withoutTokens(text).replace(TOKEN, '…');
    return {
      ...message,
      // The run is the asker's.
      runId: null,
      text: plain(message.text),
      // Pictures stay as they are: their bytes may look like a token.
      parts: message.parts?.map((part) => (isTextPart(part) ? { ...part, text: plain(part.text) } : part)) ?? null,
      sources: JSON.parse(plain(JSON.stringify(message.sources))) as Source[],
    };
  }
}

import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../assistants';
import { AppError, type Caller, notFound, type Source } from '../kernel';
import { SourceLinks } from '../knowledge-bases';
import { AnswerSettlement } from './answers/answer-settlement.service';
import type { Conversation, Message } from './conversation.types';
import { ConversationRepository } from './storage/conversation.repository';
import { MessageRepository } from './storage/message.repository';

export interface ReadConversation {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

/** Reads the conversations of one person, for that person. */
@Injectable()
export class ConversationReader {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly settlement: AnswerSettlement,
    private readonly assistants: AssistantsService,
    private readonly links: SourceLinks,
  ) {}

  /** @throws AppError `not_found` for missing and foreign conversations */
  async find(caller: Caller, id: string): Promise<Conversation> {
    assertPerson(caller);
    const found = await this.conversations.of(caller).find(id);
    if (found === null || !reaches(caller, found)) throw notFound('Conversation');
    return found;
  }

  /** With all messages. Answers whose run has ended are settled first. @throws as `find` */
  async read(caller: Caller, id: string): Promise<ReadConversation> {
    const conversation = await this.find(caller, id);
    const ofConversation = this.messages.of(caller, id);
    const messages = await ofConversation.all();
    const isSettled = await this.settlement.settle(caller, messages);
    return { conversation, messages: isSettled ? await ofConversation.all() : messages };
  }

  /** With links that this person can open now. Without access to the assistant they carry the person's own rights. */
  async readForPerson(caller: Caller, id: string): Promise<ReadConversation> {
    const { conversation, messages } = await this.read(caller, id);
    const ownRightsOnly = !(await this.mayUse(caller, conversation.assistantId));
    const renewed = (text: string): string => this.links.renew(text, caller, { ownRightsOnly });
    return {
      conversation,
      messages: messages.map((message) => ({
        ...message,
        text: message.role === 'user' ? message.text : renewed(message.text),
        sources: JSON.parse(renewed(JSON.stringify(message.sources))) as Source[],
      })),
    };
  }

  private async mayUse(caller: Caller, assistantId: number): Promise<boolean> {
    try {
      await this.assistants.runnable(caller, assistantId);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }
}

/** A credential that asks for several people would mix their conversations. @throws AppError `forbidden` */
export function assertPerson({ mayNameEndUser }: Caller): void {
  if (mayNameEndUser !== undefined)
    throw new AppError('forbidden', 'A conversation belongs to one person. This credential may ask for several people');
}

const reaches = ({ assistantIds }: Caller, { assistantId }: Conversation): boolean =>
  assistantIds === null || assistantIds.includes(assistantId);

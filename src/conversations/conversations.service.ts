import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../assistants';
import { type Caller, notFound, type Page, type PageRequest, uuidv7 } from '../kernel';
import { Transactions } from '../platform/database';
import { assertPerson, ConversationReader } from './conversation-reader.service';
import type { Conversation } from './conversation.types';
import { ConversationRepository } from './storage/conversation.repository';

export interface ConversationQuery {
  readonly assistantId: number | null;
  readonly text: string | null;
}

/** The caller's own conversations. Those of other people do not exist for anybody, administrators included. */
@Injectable()
export class Conversations {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly reader: ConversationReader,
    private readonly assistants: AssistantsService,
    private readonly transactions: Transactions,
  ) {}

  async list(caller: Caller, query: ConversationQuery, page: PageRequest): Promise<Page<Conversation>> {
    assertPerson(caller);
    return this.conversations.of(caller).page({ ...query, onlyAssistants: caller.assistantIds }, page);
  }

  /** @throws AppError `not_found` for an assistant that the caller may not use */
  async create(caller: Caller, assistantId: number, title: string): Promise<Conversation> {
    assertPerson(caller);
    const { name: assistantName } = await this.assistants.runnable(caller, assistantId);
    const id = await this.transactions.once('conversation.create', async (tx) => {
      const id = uuidv7();
      await this.conversations.of(caller, tx).insert({ id, assistantId, assistantName, title });
      return id;
    });
    return this.reader.find(caller, id);
  }

  /** @throws AppError `not_found` */
  async rename(caller: Caller, id: string, title: string): Promise<Conversation> {
    await this.reader.find(caller, id);
    if (!(await this.conversations.of(caller).rename(id, title))) throw notFound('Conversation');
    return this.reader.find(caller, id);
  }

  /** The runs stay, with the retention of runs. @throws AppError `not_found` */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.reader.find(caller, id);
    if (!(await this.conversations.of(caller).remove(id))) throw notFound('Conversation');
  }

  /** Removes all, or all with one assistant. */
  async removeAll(caller: Caller, assistantId: number | null): Promise<void> {
    assertPerson(caller);
    await this.conversations.of(caller).removeAll({ assistantId, onlyAssistants: caller.assistantIds });
  }
}

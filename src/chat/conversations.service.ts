import { AppError, type Caller, type Page, type PageRequest, notFound, uuidv7, existing } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { QUESTION_RULES, type QuestionRules } from '../answering';
import { AssistantsService } from '../assistants';
import { Transactions } from '../infrastructure/database';
import { RunsService } from '../runs';
import { ConversationReader, assertPerson, newestAfter } from './conversation-reader.service';
import type { Conversation } from './conversation.entity';
import { ConversationRepository } from './conversation.repository';

export interface ConversationQuery {
  readonly assistantId: number | null;
  readonly activityId: string | null;
  readonly text: string | null;
}

export interface NewConversation {
  readonly assistant: number;
  /** The activity of a course that the question is asked in; null to leave it to the launch. */
  readonly activity: string | null;
  readonly title: string;
}

/** Reason in the event `run.cancelled`. */
const REMOVED = 'its conversation was deleted';

/** The caller's own conversations. Those of other people do not exist for anybody, administrators included. */
@Injectable()
export class Conversations {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly reader: ConversationReader,
    private readonly assistants: AssistantsService,
    private readonly transactions: Transactions,
    private readonly runs: RunsService,
    @Inject(QUESTION_RULES) private readonly rules: QuestionRules,
  ) {}

  async list(caller: Caller, query: ConversationQuery, page: PageRequest): Promise<Page<Conversation>> {
    assertPerson(caller);
    return this.conversations.of(caller).page({ ...query, ...reachOf(caller) }, page);
  }

  /**
   * `assistant`: its number, as for `ChatCards.of`.
   * @throws AppError `not_found` for an assistant that the caller may not use, or an activity that is not the caller's
   */
  async create(caller: Caller, begun: NewConversation): Promise<Conversation> {
    assertPerson(caller);
    const { title } = begun;
    const found = await this.assistants.runnable(caller, await this.assistants.idHere(caller, begun.assistant));
    const { id: assistantId, name: assistantName } = found;
    const activityId = await this.rules.activityFor(caller, assistantId, begun.activity);
    const id = await this.transactions.once('conversation.create', async (tx) => {
      const id = uuidv7();
      await this.conversations.of(caller, tx).insert({ id, assistantId, assistantName, activityId, title });
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

  /** Shows the branch of a question, to its newest message. @throws AppError `not_found` */
  async show(caller: Caller, id: string, questionId: string): Promise<void> {
    const { all } = await this.reader.read(caller, id);
    if (!all.some((message) => message.id === questionId && message.role === 'user')) throw notFound('Question');
    if (!(await this.conversations.of(caller).show(id, newestAfter(all, questionId)))) throw notFound('Conversation');
  }

  /** Cancels the answer that is being written. The runs stay, with the retention of runs. @throws AppError `not_found` */
  async remove(caller: Caller, id: string): Promise<void> {
    await this.reader.find(caller, id);
    const running = existing(await this.conversations.of(caller).remove(id), 'Conversation');
    await this.cancel(caller, running);
  }

  /** Removes all, or all with one assistant or of one activity, as `remove`. */
  async removeAll(caller: Caller, filter: Omit<ConversationQuery, 'text'>): Promise<void> {
    assertPerson(caller);
    await this.cancel(caller, await this.conversations.of(caller).removeAll({ ...filter, ...reachOf(caller) }));
  }

  private async cancel({ organizationId }: Caller, runIds: readonly string[]): Promise<void> {
    for (const id of runIds) {
      const run = await this.runs.glance(organizationId, id);
      if (run === null) continue;
      await this.runs.cancel(run.organizationId, id, REMOVED).catch((error: unknown) => {
        // The answer was complete a moment before.
        if (!(error instanceof AppError && error.code === 'run_ended')) throw error;
      });
    }
  }
}

const reachOf = ({ assistantIds, activityIds }: Caller) => ({
  onlyAssistants: assistantIds,
  onlyActivities: activityIds ?? null,
});

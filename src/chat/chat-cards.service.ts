import { AppError, type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { OrganizationsService, UserNames } from '../organizations';
import { ConversationRepository } from './conversation.repository';
import { AnswerModes, hidesAnswers } from './answer-modes.service';
import type { ChatCardDto, Reader } from './chat-card.dto';

/** Shows an assistant to the people who may ask it, and what is left of it to those who asked it before. */
@Injectable()
export class ChatCards {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly modes: AnswerModes,
    private readonly conversations: ConversationRepository,
    private readonly people: UserNames,
  ) {}

  /** `number`: its id, or that of an import. @throws AppError `not_found`, `validation_failed` for that of several */
  async of(caller: Caller, number: number): Promise<ChatCardDto> {
    const id = await this.assistants.idHere(caller, number);
    try {
      return await this.open(caller, await this.assistants.runnable(caller, id));
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return this.closed(caller, id);
      throw error;
    }
  }

  private async open(caller: Caller, assistant: RunnableAssistant): Promise<ChatCardDto> {
    const { id, name, description, document, access } = assistant;
    const [owner, own, mode] = await Promise.all([
      this.organizations.runtime(assistant.organizationId),
      this.organizations.runtime(caller.organizationId),
      this.modes.of(assistant),
    ]);
    return {
      assistant: { id, name, description },
      organization: { name: owner.name },
      suggested_questions: [...document.suggestedQuestions],
      vision: mode.vision,
      can_edit: access !== 'use',
      answers: hidesAnswers(mode, assistant) ? 'none' : mode.answers,
      storage: { kept_days: own.privacy.retention.conversations_days, readers: readersOf(assistant) },
      closed: null,
    };
  }

  /**
   * The right to read one's own conversations outlives the right to ask. Its name is the one that the conversations keep,
   * so that nothing new is told about an assistant that the person may no longer use.
   * @throws AppError `not_found` for somebody who never asked it
   */
  private async closed(caller: Caller, id: number): Promise<ChatCardDto> {
    const { assistantIds, activityIds = null } = caller;
    // A credential that asks for several people has no conversations.
    if (caller.mayNameEndUser !== undefined) throw notFound('Assistant');
    const reach = { onlyAssistants: assistantIds, onlyActivities: activityIds };
    const query = { assistantId: id, activityId: null, text: null, ...reach };
    const [asked] = (await this.conversations.of(caller).page(query, { limit: 1, cursor: null })).items;
    if (asked === undefined) throw notFound('Assistant');
    const [own, paused] = await Promise.all([
      this.organizations.runtime(caller.organizationId),
      this.assistants.paused(caller, id),
    ]);
    const owner = paused === null ? undefined : await this.people.of(caller.organizationId, [paused.ownerId]);
    return {
      assistant: { id, name: asked.assistantName, description: '' },
      organization: { name: own.name },
      suggested_questions: [],
      vision: false,
      can_edit: paused?.mayEdit === true,
      answers: 'none',
      storage: { kept_days: own.privacy.retention.conversations_days, readers: ['owner', 'administrators'] },
      closed:
        paused === null
          ? { reason: 'withdrawn', owner: null }
          : { reason: 'paused', owner: owner?.get(paused.ownerId)?.name ?? null },
    };
  }
}

const readersOf = ({ hasEditors }: RunnableAssistant): Reader[] =>
  hasEditors ? ['owner', 'editors', 'administrators'] : ['owner', 'administrators'];

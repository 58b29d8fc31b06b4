import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../../assistants';
import type { Caller } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { AnswerModes, hidesAnswers } from './answer-modes.service';
import type { ChatCardDto, Reader } from './chat-card.dto';

/** Shows an assistant to the people who may ask it. */
@Injectable()
export class ChatCards {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly modes: AnswerModes,
  ) {}

  /** `number`: its id, or that of an import. @throws AppError `not_found`, `validation_failed` for that of several */
  async of(caller: Caller, number: number): Promise<ChatCardDto> {
    const assistant = await this.assistants.runnable(caller, await this.assistants.idHere(caller, number));
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
    };
  }
}

const readersOf = ({ hasEditors }: RunnableAssistant): Reader[] =>
  hasEditors ? ['owner', 'editors', 'administrators'] : ['owner', 'administrators'];

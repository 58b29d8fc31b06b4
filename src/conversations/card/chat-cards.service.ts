import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../../assistants';
import { ConnectorsService } from '../../connectors';
import { AppError, type Caller } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import type { ChatCardDto, Reader } from './chat-card.dto';

/** Shows an assistant to the people who may ask it. */
@Injectable()
export class ChatCards {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly connectors: ConnectorsService,
  ) {}

  /** `number`: its id, or that of an import. @throws AppError `not_found`, `validation_failed` for that of several */
  async of(caller: Caller, number: number): Promise<ChatCardDto> {
    const assistant = await this.assistants.runnable(caller, await this.assistants.idHere(caller, number));
    const { id, name, description, document, access } = assistant;
    const [owner, own] = await Promise.all([
      this.organizations.runtime(assistant.organizationId),
      this.organizations.runtime(caller.organizationId),
    ]);
    const sees = this.connectors.capabilities(document.connector)?.vision ?? false;
    return {
      assistant: { id, name, description },
      organization: { name: owner.name },
      suggested_questions: [...document.suggestedQuestions],
      vision: document.capabilities.vision && sees,
      can_edit: access !== 'use',
      model_connected: await this.isModelConnected(assistant),
      storage: { kept_days: own.privacy.retention.conversations_days, readers: readersOf(assistant) },
    };
  }

  /** A connector without a vendor counts as connected where the author chose it although vendors are configured. */
  private async isModelConnected({ organizationId, document }: RunnableAssistant): Promise<boolean> {
    const { connector, llm } = document;
    try {
      const { provider } = await this.connectors.resolve(organizationId, { connector, llm });
      return provider !== null || (await this.connectors.hasVendor(organizationId));
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }
}

const readersOf = ({ hasEditors }: RunnableAssistant): Reader[] =>
  hasEditors ? ['owner', 'editors', 'administrators'] : ['owner', 'administrators'];

import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { AppError, type Caller } from '../kernel';
import { OrganizationsService } from '../organizations';
import { isSwitchedOff } from './feature-switches';
import { assistantIdOf, modelId, modelNotFound } from './model-id';
import type { ModelDto, ModelListDto } from './model.dto';

/** Assistants as OpenAI's models: the same set that answers. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
  ) {}

  async list(caller: Caller): Promise<ModelListDto> {
    const [assistants, organization] = await Promise.all([
      this.assistants.listRunnable(caller),
      this.organizations.runtime(caller.organizationId),
    ]);
    const answering = assistants.filter((assistant) => !isSwitchedOff(assistant, organization));
    return { object: 'list', data: answering.map((assistant) => present(assistant, caller)) };
  }

  async get(caller: Caller, model: string): Promise<ModelDto> {
    try {
      const assistant = await this.assistants.runnable(caller, assistantIdOf(model));
      const organization = await this.organizations.runtime(assistant.organizationId);
      if (isSwitchedOff(assistant, organization)) throw modelNotFound(model);
      return present(assistant, caller);
    } catch (error) {
      throw error instanceof AppError && error.code === 'not_found' ? modelNotFound(model) : error;
    }
  }
}

const present = ({ id, name, document }: RunnableAssistant, caller: Caller): ModelDto => ({
  id: modelId(id),
  object: 'model',
  created: Math.floor(Date.now() / 1000),
  owned_by: caller.organizationSlug,
  parent: null,
  name,
  capabilities: { ...document.capabilities },
});

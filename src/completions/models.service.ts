import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { AppError, type Caller } from '../kernel';
import { assistantIdOf, modelId, modelNotFound } from './model-id';
import type { ModelDto, ModelListDto } from './model.dto';

/** Assistants as OpenAI's models: the same set that answers. */
@Injectable()
export class ModelsService {
  constructor(private readonly assistants: AssistantsService) {}

  async list(caller: Caller): Promise<ModelListDto> {
    const assistants = await this.assistants.listRunnable(caller);
    return { object: 'list', data: assistants.map((assistant) => present(assistant, caller)) };
  }

  async get(caller: Caller, model: string): Promise<ModelDto> {
    try {
      return present(await this.assistants.runnable(caller, assistantIdOf(model)), caller);
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

import { AppError, type Caller, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { type OrganizationRuntime, OrganizationsService } from '../organizations';
import { assistantIdOf, exactModelId, modelId, modelNotFound, running } from '../answering';
import { AssistantModels } from './assistant-models.service';
import type { ModelDto, ModelListDto } from './model.dto';

const MOST_MODELS = 5_000;

interface ModelQuery {
  /** Id of the last model of the previous page. */
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
}

/** Lists usable assistants as OpenAI models. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly names: AssistantModels,
  ) {}

  /** Models sorted by id, after `after`. @throws {AppError} `model_not_found` for an `after` that is no model. */
  async list(caller: Caller, { after, limit }: ModelQuery): Promise<ModelListDto> {
    const count = limit === undefined ? MOST_MODELS : countIn(limit);
    const answering = await this.assistants.someRunnable(
      caller,
      async (assistants) => (await running(assistants, this.organizations)).map(({ assistant }) => assistant),
      { after: after === undefined ? 0 : assistantIdOf(after), count: count + 1 },
    );
    const shown = await running(answering.slice(0, count), this.organizations);
    const ids = shown.map(({ assistant }) => assistant.id);
    const contested = await this.assistants.contestedIds(caller, ids);
    const data = shown.map(({ assistant, organization }) => present(assistant, organization, contested));
    return { object: 'list', data, has_more: answering.length > count };
  }

  async get(caller: Caller, model: string): Promise<ModelDto> {
    try {
      const assistant = await this.assistants.runnable(caller, await this.names.idOf(caller, model));
      const [answering] = await running([assistant], this.organizations);
      if (answering === undefined) throw modelNotFound(model);
      return present(assistant, answering.organization, await this.assistants.contestedIds(caller, [assistant.id]));
    } catch (error) {
      throw error instanceof AppError && error.code === 'not_found' ? modelNotFound(model) : error;
    }
  }
}

function countIn(limit: string): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_MODELS) return count;
  throw invalid([{ path: 'limit', message: `must be an integer from 1 to ${MOST_MODELS}` }]);
}

/** `contested` ids get the exact name: `lamb_assistant.{id}` may mean two assistants. */
const present = (
  { id, name, document }: RunnableAssistant,
  { slug }: OrganizationRuntime,
  contested: ReadonlySet<number>,
): ModelDto => ({
  id: contested.has(id) ? exactModelId(id) : modelId(id),
  object: 'model',
  created: Math.floor(Date.now() / 1000),
  owned_by: slug,
  parent: null,
  name,
  capabilities: { ...document.capabilities, tool_use: document.functions.length > 0 },
});

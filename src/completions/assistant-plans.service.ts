import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { AppError, type Caller } from '../kernel';
import { OrganizationsService } from '../organizations';
import {
  Planner,
  planningFigures,
  type PlanningFigures,
  planningOptions,
  PlanOutcomes,
  type ToolPlan,
} from '../planning';
import { ToolCatalogue } from '../tools';
import { switchedOff } from './feature-switches';

/** What the strategy `planned` would do, and what became of its plans; for those who may edit the assistant. */
@Injectable()
export class AssistantPlans {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly catalogue: ToolCatalogue,
    private readonly planner: Planner,
    private readonly outcomes: PlanOutcomes,
  ) {}

  /** @throws `not_found`, `forbidden`, `feature_disabled`, `cancelled` */
  async plan(caller: Caller, id: number, query: string, signal: AbortSignal): Promise<ToolPlan> {
    const assistant = await this.editable(caller, id);
    const organization = await this.organizations.runtime(assistant.organizationId);
    const off = switchedOff(assistant, organization);
    if (off !== null) throw new AppError('feature_disabled', `${off} are switched off in this organization`);
    const { document, organizationId, version } = assistant;
    if (!organization.features.planned)
      throw new AppError('feature_disabled', 'Planning is switched off in this organization');
    const tools = document.pipeline.filter(
      ({ enabled, plugin, config }) => enabled && this.catalogue.phaseOf(plugin, config) === 'pipeline',
    );
    return this.planner.plan({
      organizationId,
      assistantId: id,
      assistantVersion: version,
      query,
      messages: [{ role: 'user', content: query }],
      tools,
      connector: document.connector,
      options: planningOptions(document.orchestrator === 'planned' ? document.orchestratorOptions : {}),
      signal,
      runId: null,
    });
  }

  /** @throws `not_found`, `forbidden` */
  async figures(caller: Caller, id: number): Promise<PlanningFigures> {
    const { organizationId } = await this.editable(caller, id);
    return planningFigures(await this.outcomes.of(organizationId, id));
  }

  private async editable(caller: Caller, id: number): Promise<RunnableAssistant> {
    const assistant = await this.assistants.runnable(caller, id);
    if (assistant.access === 'use') throw new AppError('forbidden', 'This assistant is shared with you for use only');
    return assistant;
  }
}

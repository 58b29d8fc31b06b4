import { AppError, type Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { assertFeatures, AssistantsService, type RunnableAssistant } from '../assistants';
import { OrganizationsService } from '../organizations';
import {
  Planner,
  planningFigures,
  type PlanningFigures,
  planningOptions,
  PlanOutcomes,
  type PlanRequest,
  type ToolPlan,
} from '../orchestrators/planning';
import { toAppError } from '../infrastructure/http';
import { type RunOutcome, RunsService } from '../runs';
import { CompletionSlots } from '../answering';

/** `finish_reason` of a run that only made a plan. */
const PLAN_ONLY = 'plan';

/** Previews a plan of the strategy `planned` and shows outcomes of earlier plans, for editors of the assistant. */
@Injectable()
export class AssistantPlans {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly planner: Planner,
    private readonly outcomes: PlanOutcomes,
    private readonly runs: RunsService,
    private readonly slots: CompletionSlots,
  ) {}

  /**
   * A plan made by a model spends tokens: it is recorded as a run, counts in the organization's usage and takes a place
   * for completions. @throws `not_found`, `forbidden`, `feature_disabled`, `too_many_requests`, `overloaded`, `cancelled`
   */
  async plan(caller: Caller, id: number, query: string, signal: AbortSignal): Promise<ToolPlan> {
    const assistant = await this.editable(caller, id);
    const organization = await this.organizations.runtime(assistant.organizationId);
    assertFeatures(assistant.required, organization.features);
    const { compiled, document, version } = assistant;
    if (!organization.features.planned)
      throw new AppError('feature_disabled', 'Planning is switched off in this organization');
    const tools = this.planner.compile(compiled.pipeline?.tools ?? []);
    const options = planningOptions(document.orchestrator === 'planned' ? document.orchestratorOptions : {});
    const request: PlanRequest = {
      organizationId: assistant.organizationId,
      assistantId: id,
      assistantVersion: version,
      query,
      messages: [{ role: 'user', content: query }],
      tools,
      connector: document.connector,
      options,
      signal,
      runId: null,
    };
    return this.planner.plannerOf(options) === 'model'
      ? this.recorded(caller, assistant, request)
      : this.planner.plan(request);
  }

  private async recorded(caller: Caller, assistant: RunnableAssistant, request: PlanRequest): Promise<ToolPlan> {
    const { id, name, organizationId, ownerId, document } = assistant;
    const leave = await this.slots.enter(caller, () => request.signal);
    const run = this.runs.open({
      assistant: { id, name, organizationId, ownerId, type: document.type },
      caller,
      strategy: 'planned',
      stream: false,
    });
    const end = (outcome: RunOutcome): void => this.runs.finish(run, outcome);
    try {
      const signal = AbortSignal.any([request.signal, run.signal]);
      const plan = await this.planner.plan({ ...request, signal });
      end({ status: 'completed', finishReason: PLAN_ONLY, usage: plan.usage });
      return plan;
    } catch (error) {
      const { code, detail } = toAppError(error);
      end({ status: code === 'cancelled' ? 'cancelled' : 'failed', errorCode: code, message: detail });
      throw error;
    } finally {
      leave();
    }
  }

  /** @throws `not_found`, `forbidden` */
  async figures(caller: Caller, id: number): Promise<PlanningFigures> {
    const { organizationId } = await this.editable(caller, id);
    return planningFigures(await this.outcomes.of(organizationId, id));
  }

  private async editable(caller: Caller, id: number): Promise<RunnableAssistant> {
    const assistant = await this.assistants.newest(caller, id);
    if (assistant.access === 'use')
      throw new AppError('forbidden', 'This assistant is shared with you for use only', {
        reason: 'assistant.use_only',
      });
    return assistant;
  }
}

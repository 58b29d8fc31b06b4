import { Inject, Injectable } from '@nestjs/common';
import { StructuredAnswers } from '../../../connectors';
import { type JsonObject, uuidv7 } from '../../../kernel';
import { CONFIG, type Config } from '../../../infrastructure/config';
import { ToolCatalogue } from '../../../tools';
import type { Draft } from '../plan/draft.types';
import { type ModelQuestion, PLAN_SCHEMA, planMessages } from './model-question';
import { readModelPlan } from './read-model-plan';
import type { ToolFacts } from '../selection/tool-facts';

const ANSWER_TOKENS = 1_500;

export interface ModelPlanRequest extends Omit<ModelQuestion, 'tools'> {
  readonly organizationId: string;
  readonly facts: readonly ToolFacts[];
  readonly signal: AbortSignal;
  readonly runId: string | null;
}

/** A model's plan. `warnings` includes `modelWarnings`. */
export interface ModelDraft extends Draft {
  /** Warnings that another model answered than the configured one. */
  readonly modelWarnings: readonly string[];
}

/** Asks the vendor of `TOOL_PLANNER_LLM`, with the organization's own settings, for a plan. */
@Injectable()
export class ModelPlanner {
  constructor(
    @Inject(StructuredAnswers) private readonly answers: Pick<StructuredAnswers, 'ask'>,
    private readonly catalogue: ToolCatalogue,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws AppError as `StructuredAnswers.ask` */
  async draft(request: ModelPlanRequest): Promise<ModelDraft> {
    const { organizationId, query, earlier, decomposition, facts, maxSteps, signal, runId } = request;
    const { vendor, model, temperature, timeoutMs } = this.config.planner;
    const tools = facts.filter(({ role }) => role !== 'nothing');
    const { value, usage, warnings } = await this.answers.ask<JsonObject>({
      organizationId,
      connector: vendor,
      model,
      messages: planMessages({ query, earlier, decomposition, tools, maxSteps }),
      schema: PLAN_SCHEMA,
      name: 'tool_plan',
      signal,
      timeoutMs,
      runId: runId ?? uuidv7(),
      temperature,
      maxTokens: ANSWER_TOKENS,
    });
    const problemsOf = ({ tool, definition }: ToolFacts, config: JsonObject): number =>
      this.catalogue.validate(definition.name, { ...tool.config, ...config }).length;
    const plan = readModelPlan(value, { query, tools, maxSteps, decomposition, problemsOf });
    return { ...plan, warnings: [...warnings, ...plan.warnings], modelWarnings: warnings, usage };
  }
}

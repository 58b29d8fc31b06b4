import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, lastUserIndex, textOf, uuidv7 } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { ERROR_TITLES } from '../../infrastructure/http';
import { type PipelineTool, ToolCatalogue, ToolStatistics } from '../../tools';
import { decompose } from './question/decompose';
import type { Draft } from './plan/draft.types';
import { armOf, plannerFor } from './memory/experiment';
import { planHeuristically } from './planners/heuristic-planner';
import { PlanOutcomes } from './memory/plan-outcomes.service';
import { ModelPlanner } from './planners/model-planner.service';
import { buildPlan } from './plan/plan-builder';
import { PlanCache } from './memory/plan-cache';
import { DEFAULT_STEPS } from './plan/planning-options';
import type {
  Decomposition,
  PlannerName,
  PlanningOptions,
  PlanRequest,
  PlanResult,
  ToolPlan,
} from './plan/planning.types';
import { classOf } from './question/query-class';
import { factsOf, plannableTools, type PlannableTool, type ToolFacts } from './selection/tool-facts';
import { ToolSimilarities } from './selection/tool-similarities.service';

/** Below this confidence a model's plan is dropped for the heuristic one. */
const UNSURE = 0.35;

/** Characters of a text that are read for choosing tools. */
const READ_CHARS = 4_000;
/** Plans for longer questions are not kept. */
const KEPT_CHARS = 2_000;

/** The facts behind one plan. */
interface Work {
  readonly request: PlanRequest;
  readonly facts: readonly ToolFacts[];
  readonly earlier: string;
  readonly decomposition: Decomposition;
  readonly queryClass: string;
  readonly maxSteps: number;
}

/** Decides which of an assistant's tools a question needs, in which order and with which questions of their own. */
@Injectable()
export class Planner {
  private readonly logger = new Logger('Planner');
  private readonly cache = new PlanCache();
  private readonly catalogueVersion: string;

  constructor(
    private readonly catalogue: ToolCatalogue,
    private readonly statistics: ToolStatistics,
    private readonly outcomes: PlanOutcomes,
    private readonly model: ModelPlanner,
    private readonly similarities: ToolSimilarities,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.catalogueVersion = catalogue
      .definitions()
      .map(({ name, version }) => `${name}@${version}`)
      .join(' ');
  }

  /** Facts about the tools that every plan needs; made once for each stored version of an assistant. */
  compile(tools: readonly PipelineTool[]): readonly PlannableTool[] {
    return plannableTools(tools, this.catalogue);
  }

  /** The planner of a preview, which takes part in no experiment. */
  plannerOf(options: PlanningOptions): PlannerName {
    return plannerFor(options, null, this.config.planner.vendor);
  }

  /** Falls back to the heuristic planner when the model has no usable plan. Rejects on abort only, with `cancelled`. */
  async plan(request: PlanRequest): Promise<ToolPlan> {
    const began = performance.now();
    if (request.signal.aborted) throw cancelled();
    const arm = armOf(request);
    const planner = plannerFor(request.options, arm, this.config.planner.vendor);
    const work = this.prepare(request);
    const key = this.keyOf(work, planner);
    const known = request.query.length <= KEPT_CHARS ? this.cache.find(key, request.query) : null;
    const body = known ?? (await this.make(work, planner, key));
    if (request.signal.aborted) throw cancelled();
    const { experiment: _other, ...plan } = body;
    return {
      ...plan,
      id: uuidv7(),
      cached: known !== null,
      ...(known === null ? {} : { usage: null }),
      planning_ms: performance.now() - began,
      ...(arm === null ? {} : { experiment: arm }),
    };
  }

  /** Records how a plan's run went, which influences later plans for similar questions. Never throws or waits. */
  record(plan: ToolPlan, result: PlanResult): void {
    this.outcomes.record(plan, result);
  }

  private prepare(request: PlanRequest): Work {
    const { organizationId, messages, options, query, tools } = request;
    const facts = factsOf(tools, organizationId, this.statistics);
    const decomposition = decompose(query);
    const last = lastUserIndex(messages);
    const before = messages.slice(0, Math.max(last, 0)).findLast(({ role }) => role === 'user');
    const earlier = before === undefined ? '' : textOf(before.content).slice(0, READ_CHARS);
    const queryClass = classOf(query.slice(0, READ_CHARS), decomposition, facts);
    return { request, facts, earlier, decomposition, queryClass, maxSteps: options.max_steps ?? DEFAULT_STEPS };
  }

  private keyOf({ request, earlier, queryClass, maxSteps }: Work, planner: PlannerName): string {
    const { organizationId, assistantId, assistantVersion, connector, tools } = request;
    const chosen = tools.map(({ tool }) => tool.index).join(' ');
    const parts = [organizationId, assistantId, assistantVersion, this.catalogueVersion, queryClass, planner];
    return createHash('sha256')
      .update(JSON.stringify([...parts, connector, maxSteps, chosen, earlier]))
      .digest('base64');
  }

  private async make(work: Work, planner: PlannerName, key: string): Promise<ToolPlan> {
    if (planner === 'heuristic') return this.kept(key, work, await this.heuristic(work, []));
    try {
      const draft = await this.model.draft({ ...work, ...work.request });
      if (draft.confidence >= UNSURE) return this.kept(key, work, draft);
      const why = [...draft.modelWarnings, 'The model was not sure of its plan'];
      return { ...this.finish(work, await this.heuristic(work, why)), usage: draft.usage };
    } catch (error) {
      if (work.request.signal.aborted) throw cancelled();
      const code = error instanceof AppError ? error.code : 'internal_error';
      this.logger.warn(`run ${work.request.runId ?? '-'}: the model did not plan (${code})`);
      const why = `The model did not plan: ${ERROR_TITLES[code].toLowerCase()}. The heuristic planner did`;
      const draft = await this.heuristic(work, [why]);
      return this.finish(work, { ...draft, usage: error instanceof AppError ? error.usage : null });
    }
  }

  private kept(key: string, work: Work, draft: Draft): ToolPlan {
    const plan = this.finish(work, draft);
    const { query } = work.request;
    if (query.length <= KEPT_CHARS) this.cache.keep(key, query, plan);
    return plan;
  }

  private async heuristic(
    { request, facts, earlier, decomposition, queryClass, maxSteps }: Work,
    warnings: string[],
  ): Promise<Draft> {
    const { organizationId, assistantId, query } = request;
    const influences = this.outcomes.influences(organizationId, assistantId, queryClass);
    const learned = ({ tool }: ToolFacts): number =>
      influences.get(tool.placeholder ?? `${tool.index + 1}_${tool.plugin}`) ?? 0;
    // No second model request: the first one has used up the time.
    const isFirst = warnings.length === 0;
    const near = isFirst ? await this.similarities.of(organizationId, query, facts, request.signal) : undefined;
    const similarities = near === undefined ? {} : { similarities: near };
    const input = { query, earlier, tools: facts, decomposition, maxSteps, learned, ...similarities };
    const draft = planHeuristically(input);
    return { ...draft, warnings: [...warnings, ...draft.warnings] };
  }

  private finish({ facts, queryClass }: Work, draft: Draft): ToolPlan {
    const built = buildPlan({ draft, tools: facts, defaultTimeoutMs: this.config.tools.defaultTimeoutMs });
    const { planner, decomposition, usage } = draft;
    return { id: '', planner, cached: false, query_class: queryClass, decomposition, ...built, usage, planning_ms: 0 };
  }
}

const cancelled = (): AppError => new AppError('cancelled', 'The run was cancelled');

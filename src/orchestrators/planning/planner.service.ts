import { createHash } from 'node:crypto';
import { AppError, type JsonObject, isJsonObject, lastUserIndex, textOf, uuidv7, atMost } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EmbeddingsService } from '../../connectors';
import { CONFIG, type Config } from '../../infrastructure/config';
import { ERROR_TITLES } from '../../infrastructure/http';
import { type PipelineTool, ToolCatalogue, ToolStatistics } from '../../tools';
import { rankTools } from './choose-tools';
import { decompose } from './decompose';
import { planHeuristically } from './heuristic-planner';
import { PlanCache } from './memory/plan-cache';
import { PlanOutcomes } from './memory/plan-outcomes.service';
import { ModelPlanner } from './model-planner.service';
import { type Draft, buildPlan } from './plan-builder';
import {
  type Decomposition,
  PLANNER_CHOICES,
  type PlanRequest,
  type PlanResult,
  type PlannerChoice,
  type PlannerName,
  type PlanningOptions,
  type ToolPlan,
} from './planning.types';
import { type PlannableTool, type ToolFacts, factsOf, plannableTools } from './tool-profile';

const MAX_VECTORS = 2_000;
const TEXT_CHARS = 600;

/** Similarity of a question to each tool, by the embedding model of `TOOL_PLANNER_EMBEDDING`. */
@Injectable()
export class ToolSimilarities {
  private readonly logger = new Logger('ToolSimilarities');
  /** Vectors of the tools' texts. Vectors of questions are not cached. */
  private readonly vectors = new LRUCache<string, readonly number[]>(atMost(MAX_VECTORS));

  constructor(
    @Inject(EmbeddingsService) private readonly embeddings: Pick<EmbeddingsService, 'embed'>,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Cosines in the order of the tools; undefined without a model, after a failure, and after the planner's time
   * limit.
   */
  async of(
    organizationId: string,
    query: string,
    tools: readonly ToolFacts[],
    signal: AbortSignal,
  ): Promise<readonly number[] | undefined> {
    const { embedding, timeoutMs } = this.config.planner;
    if (embedding === null || tools.length < 2) return undefined;
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const texts = tools.map(({ text }) => `${text.name}: ${text.description}`.slice(0, TEXT_CHARS));
    const keyOf = (text: string): string => `${organizationId} ${text}`;
    try {
      const missing = [...new Set(texts)].filter((text) => !this.vectors.has(keyOf(text)));
      const job = { ...embedding, purpose: 'query' as const, dimensions: null, signal: until };
      const [asked, ...made] = await this.embeddings.embed(organizationId, {
        ...job,
        texts: [query.slice(0, TEXT_CHARS), ...missing],
      });
      const fresh = new Map(missing.map((text, at) => [text, made[at] ?? []]));
      for (const [text, vector] of fresh) this.vectors.set(keyOf(text), vector);
      return texts.map((text) => cosine(asked ?? [], fresh.get(text) ?? this.vectors.get(keyOf(text)) ?? []));
    } catch (error) {
      this.logger.warn(
        `tools were chosen by words alone (${error instanceof AppError ? error.code : 'internal_error'})`,
      );
      return undefined;
    }
  }
}

/** Cosine of two vectors of length 1. */
const cosine = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const MAX_STEPS = 20;
const DEFAULT_STEPS = 12;

const planner = (description: string, fallback?: PlannerChoice): JsonObject => ({
  type: 'string',
  description,
  enum: [...PLANNER_CHOICES],
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** JSON Schema of the strategy's `orchestrator_options`. */
export const PLANNING_OPTIONS_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    planner: planner('Who plans; auto: a model where the server has one, else the heuristic planner.', 'auto'),
    max_steps: { type: 'integer', description: 'Most steps of a plan.', minimum: 1, maximum: MAX_STEPS, default: 12 },
    experiment: {
      type: 'object',
      description: 'Plans a fraction of the requests with another planner and compares how they go.',
      properties: {
        planner: planner('The planner that is compared.'),
        fraction: { type: 'number', description: 'Share of the requests.', minimum: 0, maximum: 1 },
      },
      required: ['planner', 'fraction'],
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** Reads settings that may be old or wrong. Invalid ones get their defaults. */
export function planningOptions(options: JsonObject): PlanningOptions {
  const { planner: wanted, max_steps: steps, experiment } = options;
  const other = isJsonObject(experiment) ? choiceOf(experiment['planner']) : undefined;
  const fraction = isJsonObject(experiment) ? experiment['fraction'] : undefined;
  return {
    planner: choiceOf(wanted) ?? 'auto',
    max_steps: Number.isInteger(steps) ? Math.min(Math.max(steps as number, 1), MAX_STEPS) : DEFAULT_STEPS,
    ...(other !== undefined && typeof fraction === 'number' && fraction >= 0 && fraction <= 1
      ? { experiment: { planner: other, fraction } }
      : {}),
  };
}

const choiceOf = (value: unknown): PlannerChoice | undefined => PLANNER_CHOICES.find((choice) => choice === value);

/** `b` for the experiment's fraction of runs, by a hash of the run id: a retried run keeps its arm. */
function armOf({ options: { experiment }, runId }: Pick<PlanRequest, 'options' | 'runId'>): 'a' | 'b' | null {
  if (experiment === undefined || runId === null) return null;
  const share = createHash('sha256').update(runId).digest().readUInt32BE(0) / 2 ** 32;
  return share < experiment.fraction ? 'b' : 'a';
}

/** Without a vendor (`TOOL_PLANNER_LLM`), the heuristic planner replaces a model. */
function plannerFor({ planner, experiment }: PlanningOptions, arm: 'a' | 'b' | null, vendor: string): PlannerName {
  const choice = (arm === 'b' ? experiment?.planner : planner) ?? 'auto';
  return choice === 'heuristic' || vendor === 'heuristic' ? 'heuristic' : 'model';
}

/** Below it the words speak for no tool. */
const SPEAKS = 1;

/** The type of a question, and the kind of tool that its words speak for: `comparison/context`. */
function classOf(query: string, { type }: Decomposition, tools: readonly ToolFacts[]): string {
  const [best] = rankTools(
    query,
    tools.map(({ profile }) => profile),
  );
  const kind = best === undefined || best.score < SPEAKS ? null : tools[best.at]?.definition.placeholder;
  return `${type}/${kind ?? 'any'}`;
}

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

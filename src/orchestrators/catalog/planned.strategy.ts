import { type EmitRunEvent, type JsonObject, after } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type CompiledTool, PARALLEL_TEXTS, type ToolOutcome } from '../../tools';
import type {
  OrchestratorStrategy,
  RunStrategy,
  Step,
  StrategyContext,
  StrategyDefinition,
  StrategyTrace,
} from '../contract';
import {
  PLANNING_OPTIONS_SCHEMA,
  type PlanStep,
  type PlannableTool,
  Planner,
  type PlanningOptions,
  type ToolPlan,
  planSummary,
  planningOptions,
  withFoundWords,
} from '../planning';
import { type TaskGraph, allBehind, dependenciesOf, runWhenReady, taskGraph } from '../task-graph';

/** A plan that was checked: every step names a tool of the assistant, and there is no cycle. */
interface RunnablePlan {
  readonly plan: ToolPlan;
  readonly tools: readonly CompiledTool[];
  readonly dependencies: readonly (readonly number[])[];
  readonly graph: TaskGraph;
}

/** The compiled form of an assistant's tools under one strategy. */
interface Compiled {
  readonly tools: readonly CompiledTool[];
  readonly plannable: readonly PlannableTool[];
  readonly options: PlanningOptions;
}

/** The tools that a plan chooses, in the order and with the questions that it chooses. */
@Injectable()
export class PlannedStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'planned',
    description: 'Plans for each question which tools to run and what to ask them, then runs the plan.',
    texts: {
      en: {
        name: 'Planned',
        about: 'A plan for each question says which tools run and what each is asked.',
        best: 'Best for many tools and questions of all kinds.',
      },
      es: {
        name: 'Planificada',
        about: 'Para cada pregunta se hace un plan: qué herramientas necesita y qué se pide a cada una.',
        best: 'Ideal para muchas herramientas y preguntas de todo tipo.',
      },
      ca: {
        name: 'Planificada',
        about: 'Per a cada pregunta es fa un pla: quines eines necessita i què es demana a cadascuna.',
        best: 'Ideal per a moltes eines i preguntes de tota mena.',
      },
      eu: {
        name: 'Planifikatua',
        about: 'Galdera bakoitzerako plan bat egiten da: zein tresna behar dituen eta bakoitzari zer galdetu.',
        best: 'Egokia tresna askorekin eta mota guztietako galderekin.',
      },
    },
    feature: 'planned',
    reads: ['depends_on', 'example_questions'],
    shape: { order: 'dependencies', planned: true },
    options_schema: PLANNING_OPTIONS_SCHEMA,
  };

  constructor(private readonly planner: Planner) {}

  compile(tools: readonly CompiledTool[], options: JsonObject): RunStrategy {
    if (tools.length === 0) return () => Promise.resolve();
    const compiled = { tools, plannable: this.planner.compile(tools), options: planningOptions(options) };
    return (context) => this.run(compiled, context);
  }

  private async run(compiled: Compiled, context: StrategyContext): Promise<StrategyTrace> {
    const { request, emit, skip, declare } = context;
    const { tools } = compiled;
    const runnable = await this.runnablePlan(compiled, context);
    const { plan } = runnable;
    const summary = planSummary(plan);
    emit({ type: 'plan.ready', ...summary, message: planText(plan) });
    for (const message of plan.warnings) emit({ type: 'warning', code: 'plan.degraded', message });
    for (const tool of tools) {
      const own = plan.steps.filter(({ index }) => index === tool.index);
      if (own.length === 0) skip(tool, 'the plan does not need it');
      else
        declare(
          tool,
          own.map(({ id }) => id),
        );
    }
    const began = performance.now();
    const searches = compiled.plannable.filter(({ role }) => role === 'search').map(({ tool }) => tool.index);
    const outcomes = await runSteps(runnable, context, new Set(searches));
    if (!context.signal.aborted) {
      const { organizationId } = request.owner;
      const duration_ms = performance.now() - began;
      this.planner.record(plan, { organizationId, assistantId: request.assistantId, outcomes, duration_ms });
    }
    return { stages: plan.stages, plan: summary, usage: plan.usage ?? null };
  }

  /** The planner's plan, else the heuristic one, else every tool in the author's order. */
  private async runnablePlan(compiled: Compiled, context: StrategyContext): Promise<RunnablePlan> {
    const { request, emit } = context;
    const { tools, options } = compiled;
    const plan = await this.plan(compiled, context);
    const first = runnable(plan, tools);
    if (first !== null) return first;
    warnOf(emit, 'The plan could not run, so that the heuristic planner made another');
    const simpler = await this.plan({ ...compiled, options: { ...options, planner: 'heuristic' } }, context);
    const second = runnable(simpler, tools);
    if (second !== null) return second;
    warnOf(emit, 'No plan could run, so that every tool ran');
    return withEveryTool(simpler, tools, request.question);
  }

  private plan({ plannable: tools, options }: Compiled, { request, signal }: StrategyContext): Promise<ToolPlan> {
    const { assistantId, assistantVersion, connector, messages, owner, question: query, runId } = request;
    const { organizationId } = owner;
    const about = { organizationId, assistantId, assistantVersion, connector, runId };
    return this.planner.plan({ ...about, query, messages, tools, options, signal });
  }
}

const warnOf = (emit: EmitRunEvent, message: string): void => emit({ type: 'warning', code: 'plan.degraded', message });

function planText({ steps, stages }: ToolPlan): string {
  if (steps.length === 0) return '🧭 Plan: no tool is needed';
  const names = new Map(steps.map(({ id, tool, placeholder }) => [id, placeholder ?? tool]));
  return `🧭 Plan: ${stages.map((stage) => stage.map((id) => names.get(id) ?? id).join(', ')).join(' → ')}`;
}

/** null for a plan with unknown tools, duplicate step ids or a cycle. */
function runnable(plan: ToolPlan, tools: readonly CompiledTool[]): RunnablePlan | null {
  const byIndex = new Map(tools.map((tool) => [tool.index, tool]));
  const positions = new Map(plan.steps.map(({ id }, position) => [id, position]));
  if (positions.size !== plan.steps.length) return null;
  const owners: CompiledTool[] = [];
  const dependencies: number[][] = [];
  for (const { index, dependencies: ids } of plan.steps) {
    const tool = byIndex.get(index);
    const needed = new Set(ids.map((id) => positions.get(id)));
    if (tool === undefined || needed.has(undefined)) return null;
    owners.push(tool);
    dependencies.push([...needed].filter((position) => position !== undefined));
  }
  const graph = taskGraph(dependencies);
  return graph.stuck.length > 0 ? null : { plan, tools: owners, dependencies, graph };
}

/** `depends_on` holds here, too, unless tools wait for each other. */
function withEveryTool(plan: ToolPlan, tools: readonly CompiledTool[], query: string): RunnablePlan {
  const wished = dependenciesOf(tools);
  const dependencies = taskGraph(wished).stuck.length > 0 ? tools.map(() => []) : wished;
  const graph = taskGraph(dependencies);
  const steps = tools.map(({ index, plugin, placeholder, timeout_ms }, position): PlanStep => ({
    id: idOf(position),
    tool: plugin,
    index,
    placeholder,
    query,
    config: {},
    dependencies: (dependencies[position] ?? []).map(idOf),
    execution_mode: 'parallel',
    timeout_ms: timeout_ms ?? 0,
    fallback: null,
  }));
  const stages = graph.stages.map((stage) => stage.map(idOf));
  return { plan: { ...plan, steps, stages }, tools, dependencies, graph };
}

const idOf = (position: number): string => `s${position + 1}`;

/** A failed step does not stop later steps; a failed tool with `on_error: fail` stops the run. */
async function runSteps(
  { plan, tools, dependencies, graph }: RunnablePlan,
  { request, call }: StrategyContext,
  searches: ReadonlySet<number>,
): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  const behind = allBehind(dependencies, graph);
  await runWhenReady(graph, (position) => {
    const tool = tools[position];
    const step = plan.steps[position];
    if (tool === undefined || step === undefined) return undefined;
    const earlier = (behind[position] ?? []).flatMap((each) => outcomes[each] ?? []);
    const asked = searches.has(step.index) ? withFoundWords(step.query, passagesOf(earlier, searches)) : step.query;
    const running = call(tool, PARALLEL_TEXTS, earlier, stepOf({ ...step, query: asked }, request.question));
    return after(running, (outcome) => (outcomes[position] = outcome));
  });
  return outcomes;
}

const passagesOf = (outcomes: readonly ToolOutcome[], searches: ReadonlySet<number>): string[] =>
  outcomes.flatMap((outcome) => {
    if (outcome.status !== 'completed' || !searches.has(outcome.index)) return [];
    const { passages = [], content } = outcome;
    return passages.length === 0 ? [content] : passages.map(({ text }) => text);
  });

const stepOf = ({ id, query, config, timeout_ms, fallback }: PlanStep, question: string): Step => ({
  id,
  ...(query === question ? {} : { query }),
  ...(Object.keys(config).length === 0 ? {} : { config }),
  ...(timeout_ms > 0 ? { timeoutMs: timeout_ms } : {}),
  ...(fallback === null ? {} : { fallback }),
});

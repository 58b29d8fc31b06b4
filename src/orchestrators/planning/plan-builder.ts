import { type JsonObject, type PlanSummary, type Usage, sameJson } from '@bellwether/kernel';
import type { PipelineTool, ToolRole } from '../../tools';
import type { ToolFacts } from './tool-profile';
import type { Decomposition, PlanStep, PlannedFallback, PlannerName, ToolPlan } from './planning.types';

/** The plan as `plan.ready` tells it. */
export const planSummary = (plan: ToolPlan): PlanSummary => ({
  plan_id: plan.id,
  planner: plan.planner,
  cached: plan.cached,
  steps: plan.steps.map(({ id, index, tool, placeholder, dependencies }) => ({
    id,
    index,
    plugin: tool,
    placeholder,
    dependencies,
  })),
  stages: plan.stages,
  reasoning: plan.reasoning,
  confidence: plan.confidence,
  duration_ms: plan.planning_ms,
});

/** A step before order, times and fallbacks are known. */
export interface DraftStep {
  readonly id: string;
  readonly facts: ToolFacts;
  readonly query: string;
  /** `top_k`, `threshold`; checked. */
  readonly config: JsonObject;
  /** Ids of drafts. */
  readonly after: readonly string[];
}

/** The tools that a planner chose, with its reasons. */
export interface Draft {
  readonly planner: PlannerName;
  readonly decomposition: Decomposition;
  readonly steps: readonly DraftStep[];
  readonly reasoning: string;
  /** 0..1 */
  readonly confidence: number;
  readonly warnings: readonly string[];
  readonly usage: Usage | null;
}

/** Anything that waits for others. */
interface Node {
  readonly id: string;
  readonly dependencies: readonly string[];
}

/**
 * Ids by the length of the longest chain of dependencies before them; null when there is a cycle. Unknown dependencies
 * count as settled.
 */
export function stagesOf(nodes: readonly Node[]): readonly (readonly string[])[] | null {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const depth = new Map<string, number>();
  const visiting = new Set<string>();
  const depthOf = (node: Node): number => {
    const found = depth.get(node.id);
    if (found !== undefined) return found;
    if (visiting.has(node.id)) return Number.NaN;
    visiting.add(node.id);
    const before = node.dependencies.map((id) => known.get(id)).filter((other) => other !== undefined);
    const result = before.length === 0 ? 0 : 1 + Math.max(...before.map(depthOf));
    visiting.delete(node.id);
    depth.set(node.id, result);
    return result;
  };
  const stages: string[][] = [];
  for (const node of nodes) {
    const at = depthOf(node);
    if (Number.isNaN(at)) return null;
    while (stages.length <= at) stages.push([]);
    stages[at]?.push(node.id);
  }
  return stages;
}

interface Times {
  /** Expected milliseconds of a tool that has no history. */
  readonly usual: number;
  /** Most milliseconds, where neither the entry nor the tool says. */
  readonly most: number;
}

const TIMES: Readonly<Record<ToolRole, Times>> = {
  search: { usual: 300, most: 15_000 },
  content: { usual: 50, most: 10_000 },
  personal: { usual: 100, most: 10_000 },
  other: { usual: 2_000, most: 30_000 },
  synthesis: { usual: 4_000, most: 60_000 },
  check: { usual: 4_000, most: 60_000 },
  nothing: { usual: 0, most: 1_000 },
};
/** Calls before a tool counts as unreliable. */
const ENOUGH_CALLS = 20;
const UNRELIABLE = 0.2;
const FALLBACK_THRESHOLD = 0.2;

export interface BuildInput {
  readonly draft: Draft;
  readonly tools: readonly ToolFacts[];
  /** `TOOL_DEFAULT_TIMEOUT`. */
  readonly defaultTimeoutMs: number;
}

type Built = Pick<
  ToolPlan,
  'steps' | 'stages' | 'estimated_duration_ms' | 'estimated_cost' | 'warnings' | 'reasoning' | 'confidence'
>;

/** Orders the steps of a draft, and gives each its time limit and fallback. */
export function buildPlan({ draft, tools, defaultTimeoutMs }: BuildInput): Built {
  const warnings = [...draft.warnings];
  const linked = linkedSteps(draft.steps, warnings);
  const byDraft = stagesOf(linked.map(({ id, after }) => ({ id, dependencies: after }))) ?? [];
  const order = byDraft.flat().flatMap((id) => linked.find((step) => step.id === id) ?? []);
  const names = new Map(order.map(({ id }, at) => [id, `s${at + 1}`]));
  const alone = new Set(byDraft.filter((stage) => stage.length === 1).flat());
  const used = new Set(order.map(({ facts }) => facts.tool.index));
  const steps = order.map(({ id, facts, query, config, after }): PlanStep => ({
    id: names.get(id) ?? id,
    tool: facts.definition.name,
    index: facts.tool.index,
    placeholder: facts.tool.placeholder,
    query,
    config,
    dependencies: after.flatMap((before) => names.get(before) ?? []),
    execution_mode: alone.has(id) ? 'sequential' : 'parallel',
    timeout_ms: timeoutOf(facts, defaultTimeoutMs),
    fallback: fallbackOf(facts, tools, used),
  }));
  return {
    steps,
    stages: byDraft.map((stage) => stage.flatMap((id) => names.get(id) ?? [])),
    estimated_duration_ms: Math.round(criticalPath(order)),
    estimated_cost: order.reduce((sum, { facts }) => sum + tokensOf(facts), 0),
    reasoning: draft.reasoning,
    confidence: draft.confidence,
    warnings,
  };
}

/**
 * The author's `depends_on` holds in every plan. The draft's own links come second. A link that would close a cycle
 * is dropped.
 */
function linkedSteps(steps: readonly DraftStep[], warnings: string[]): readonly DraftStep[] {
  const after = new Map<string, string[]>(steps.map(({ id }) => [id, []]));
  const reaches = (from: string, to: string): boolean =>
    from === to || (after.get(from) ?? []).some((before) => reaches(before, to));
  let dropped = 0;
  const link = (id: string, before: string): void => {
    const known = after.get(id) ?? [];
    if (known.includes(before)) return;
    if (!after.has(before) || reaches(before, id)) dropped += 1;
    else known.push(before);
  };
  for (const { id, facts } of steps) for (const before of toldBy(facts, steps)) if (before !== id) link(id, before);
  for (const step of steps) for (const before of step.after) link(step.id, before);
  if (dropped > 0) warnings.push(`${dropped} dependencies were dropped: they would have waited for each other`);
  return steps.map((step) => ({ ...step, after: after.get(step.id) ?? [] }));
}

const toldBy = ({ tool }: ToolFacts, steps: readonly DraftStep[]): string[] =>
  tool.depends_on.flatMap((name) => steps.filter(({ facts }) => facts.tool.placeholder === name).map(({ id }) => id));

/** Ignores statistics: those of one tool mix quick and slow targets. */
const timeoutOf = ({ tool, timeoutMs, role }: ToolFacts, defaultTimeoutMs: number): number =>
  tool.timeout_ms ?? timeoutMs ?? Math.min(TIMES[role].most, defaultTimeoutMs);

const expectedMs = ({ stats, role }: ToolFacts): number => stats?.avg_ms ?? TIMES[role].usual;

const tokensOf = ({ definition: { cost } }: ToolFacts): number => (cost.unit === 'tokens' ? cost.estimate : 0);

function criticalPath(order: readonly DraftStep[]): number {
  const ends = new Map<string, number>();
  for (const { id, facts, after } of order) {
    ends.set(id, expectedMs(facts) + Math.max(0, ...after.map((before) => ends.get(before) ?? 0)));
  }
  return Math.max(0, ...ends.values());
}

/** The entry's own fallback. Otherwise a critical or unreliable tool gets an unused tool of its kind. */
function fallbackOf(facts: ToolFacts, tools: readonly ToolFacts[], used: ReadonlySet<number>): PlannedFallback | null {
  const { tool, stats } = facts;
  if (tool.fallback !== null) return { ...tool.fallback, placeholder: null };
  const critical = tool.on_error === 'fail';
  const unreliable = stats !== null && stats.calls >= ENOUGH_CALLS && stats.failure_rate >= UNRELIABLE;
  if (!critical && !unreliable) return null;
  const spare = tools
    .filter((other) => !used.has(other.tool.index) && canStandIn(other, facts))
    .sort((one, other) => distance(one.tool, tool) - distance(other.tool, tool))[0];
  if (spare === undefined) return null;
  const { plugin, config, placeholder } = spare.tool;
  return { plugin, config, condition: 'on_error', threshold: FALLBACK_THRESHOLD, placeholder };
}

const canStandIn = (other: ToolFacts, facts: ToolFacts): boolean =>
  other.role === facts.role &&
  facts.role !== 'other' &&
  other.definition.placeholder === facts.definition.placeholder &&
  (other.stats?.failure_rate ?? 0) < UNRELIABLE;

const distance = (one: PipelineTool, other: PipelineTool): number =>
  sameJson(one.config['collections'], other.config['collections']) ? 0 : 1;

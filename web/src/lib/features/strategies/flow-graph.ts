import { type StrategyRules, textsOf } from './strategy-rules';

/** A tool as far as a diagram shows it: an entry of the pipeline, or one of a stored document. */
export interface FlowTool {
  readonly plugin: string;
  readonly placeholder?: string | null;
  readonly label?: unknown;
  readonly enabled: boolean;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly depends_on?: unknown;
  readonly when?: unknown;
}

export const FLOW_STATES = ['waiting', 'running', 'completed', 'cached', 'failed', 'skipped'] as const;
export type FlowState = (typeof FLOW_STATES)[number];
/** States by position in the assistant's tools, as events of runs count them. */
export type FlowStates = Readonly<Record<number, FlowState>>;

export interface FlowNode {
  readonly id: string;
  readonly kind: 'question' | 'planner' | 'tool' | 'model';
  /** Position in the tools; null for what is no tool. */
  readonly index: number | null;
  /** Null for what is no tool. */
  readonly tool: FlowTool | null;
  readonly placeholder: string | null;
  /** Whether it runs only if a condition is met, or the plan wants it. */
  readonly isConditional: boolean;
  /** Positions of several tools that are drawn as one. */
  readonly members?: readonly number[];
}

export interface FlowEdge {
  readonly from: string;
  readonly to: string;
}

export interface FlowGraph {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

const QUESTION = 'question';
const PLANNER = 'planner';
const MODEL = 'model';

interface Step {
  readonly node: FlowNode;
  /** Ids of steps. */
  readonly needs: readonly string[];
}

const special = (kind: 'question' | 'planner' | 'model'): FlowNode => ({
  id: kind,
  kind,
  index: null,
  tool: null,
  placeholder: null,
  isConditional: false,
});

const idOf = (index: number): string => `tool-${index}`;
const ruleOf = (tool: FlowTool, rule: 'depends_on' | 'when'): unknown => tool.extra?.[rule] ?? tool[rule];

/** Whether a tool looks at the finished answer: no strategy decides about it. */
const checksAnswer = ({ config }: FlowTool): boolean => config?.['checks'] === 'answer';

type Numbered = { readonly tool: FlowTool; readonly index: number };

function needsOf({ shape }: StrategyRules, { tool, index }: Numbered, running: readonly Numbered[]): readonly string[] {
  if (shape.order === 'parallel') return [];
  if (shape.order === 'dependencies') {
    const awaited = textsOf(ruleOf(tool, 'depends_on'));
    return running
      .filter((other) => other.index !== index && awaited.includes(other.tool.placeholder ?? ''))
      .map((other) => idOf(other.index));
  }
  const before = running.filter((other) => other.index < index).at(-1);
  return before === undefined ? [] : [idOf(before.index)];
}

const isConditional = ({ reads, shape }: StrategyRules, tool: FlowTool): boolean =>
  shape.planned || (reads.includes('when') && ruleOf(tool, 'when') !== undefined);

/**
 * Edges of the flow: first the question, then what each tool waits for, then the model. Tools switched off are left
 * out.
 */
export function graphOf(tools: readonly FlowTool[], strategy: StrategyRules): FlowGraph {
  const enabled = tools.map((tool, index) => ({ tool, index })).filter(({ tool }) => tool.enabled);
  const running = enabled.filter(({ tool }) => !checksAnswer(tool));
  const nodeOf = ({ tool, index }: Numbered, conditional: boolean): FlowNode => ({
    id: idOf(index),
    kind: 'tool',
    index,
    tool,
    placeholder: tool.placeholder ?? null,
    isConditional: conditional,
  });
  const steps = running.map((numbered) => ({
    node: nodeOf(numbered, isConditional(strategy, numbered.tool)),
    needs: needsOf(strategy, numbered, running),
  }));
  const checks = enabled.filter(({ tool }) => checksAnswer(tool)).map((numbered) => nodeOf(numbered, false));
  return joined(steps, checks, strategy.shape.planned);
}

function joined(steps: readonly Step[], checks: readonly FlowNode[], isPlanned: boolean): FlowGraph {
  const start = isPlanned ? PLANNER : QUESTION;
  const awaited = new Set(steps.flatMap(({ needs }) => needs));
  const edges: FlowEdge[] = isPlanned ? [{ from: QUESTION, to: PLANNER }] : [];
  for (const { node, needs } of steps) {
    if (needs.length === 0) edges.push({ from: start, to: node.id });
    for (const need of needs) edges.push({ from: need, to: node.id });
    if (!awaited.has(node.id)) edges.push({ from: node.id, to: MODEL });
  }
  if (steps.length === 0) edges.push({ from: start, to: MODEL });
  for (const check of checks) edges.push({ from: MODEL, to: check.id });
  return {
    nodes: [
      special(QUESTION),
      ...(isPlanned ? [special(PLANNER)] : []),
      ...steps.map(({ node }) => node),
      special(MODEL),
      ...checks,
    ],
    edges,
  };
}

/** The nodes of a graph in layers, each behind all that it waits for. What waits in a circle stands at the end. */
export function layersOf({ nodes, edges }: FlowGraph): readonly (readonly FlowNode[])[] {
  const depth = new Map<string, number>(nodes.map(({ id }) => [id, 0]));
  // The longest way has at most one edge fewer than there are nodes; a circle stops there.
  for (let round = 1; round < nodes.length; round++) {
    let changed = false;
    for (const { from, to } of edges) {
      const needed = Math.min((depth.get(from) ?? 0) + 1, nodes.length);
      if (needed <= (depth.get(to) ?? 0)) continue;
      depth.set(to, needed);
      changed = true;
    }
    if (!changed) break;
  }
  const depths = [...new Set(depth.values())].sort((a, b) => a - b);
  return depths.map((layer) => nodes.filter(({ id }) => depth.get(id) === layer));
}

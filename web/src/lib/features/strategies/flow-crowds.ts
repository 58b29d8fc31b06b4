import { type FlowGraph, type FlowNode, type FlowState, type FlowStates } from './flow-graph';

/** From here on tools of one kind that stand side by side are drawn as one. */
const CROWD = 9;
/** The first that one of a crowd has is what the crowd shows. */
const WORST: readonly FlowState[] = ['failed', 'running', 'waiting', 'skipped', 'completed', 'cached'];

/** Tools of one plugin that wait for the same and that the same waits for, drawn as one from a number on. */
export function withCrowds(graph: FlowGraph): FlowGraph {
  const groups = new Map<string, FlowNode[]>();
  for (const node of graph.nodes) {
    if (node.kind !== 'tool') continue;
    const before = graph.edges.filter(({ to }) => to === node.id).map(({ from }) => from);
    const after = graph.edges.filter(({ from }) => from === node.id).map(({ to }) => to);
    const key = JSON.stringify([node.tool?.plugin, node.isConditional, before.sort(), after.sort()]);
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  const crowds = [...groups.values()].filter((members) => members.length >= CROWD);
  if (crowds.length === 0) return graph;
  const heads = new Map(crowds.flatMap((members) => members.map(({ id }) => [id, members] as const)));
  const isShown = (id: string): boolean => (heads.get(id)?.[0]?.id ?? id) === id;
  return {
    nodes: graph.nodes
      .filter(({ id }) => isShown(id))
      .map((node) => {
        const members = heads.get(node.id);
        if (members === undefined) return node;
        return { ...node, placeholder: null, members: members.flatMap(({ index }) => (index === null ? [] : [index])) };
      }),
    edges: graph.edges.filter(({ from, to }) => isShown(from) && isShown(to)),
  };
}

/** State of a tool; of a crowd, the worst of its members. */
export function stateOfNode({ index, members }: FlowNode, states: FlowStates): FlowState | null {
  if (members === undefined) return index === null ? null : (states[index] ?? null);
  const known = new Set(members.map((member) => states[member]));
  return WORST.find((state) => known.has(state)) ?? null;
}

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

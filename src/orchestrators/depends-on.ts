import type { PipelineTool } from '../tools';

/** Positions of the tools that each one waits for. A disabled or missing tool is no dependency. */
export function dependenciesOf(tools: readonly PipelineTool[]): number[][] {
  if (tools.every(({ depends_on }) => depends_on.length === 0)) return tools.map(() => []);
  const positions = new Map<string, number[]>();
  for (const [position, { placeholder }] of tools.entries()) {
    if (placeholder !== null) positions.set(placeholder, [...(positions.get(placeholder) ?? []), position]);
  }
  return tools.map(({ depends_on }) => [...new Set(depends_on.flatMap((name) => positions.get(name) ?? []))]);
}

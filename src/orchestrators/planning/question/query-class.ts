import type { Decomposition } from '../plan/planning.types';
import { rankTools } from '../selection/rank-tools';
import type { ToolFacts } from '../selection/tool-facts';

/** Below it the words speak for no tool. */
const SPEAKS = 1;

/** The type of a question, and the kind of tool that its words speak for: `comparison/context`. */
export function classOf(query: string, { type }: Decomposition, tools: readonly ToolFacts[]): string {
  const [best] = rankTools(
    query,
    tools.map(({ profile }) => profile),
  );
  const kind = best === undefined || best.score < SPEAKS ? null : tools[best.at]?.definition.placeholder;
  return `${type}/${kind ?? 'any'}`;
}

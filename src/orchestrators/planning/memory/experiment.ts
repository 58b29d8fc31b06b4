import { createHash } from 'node:crypto';
import type { PlannerName, PlanningOptions, PlanRequest } from '../plan/planning.types';

/** `b` for the experiment's fraction of runs, by a hash of the run id: a retried run keeps its arm. */
export function armOf({ options: { experiment }, runId }: Pick<PlanRequest, 'options' | 'runId'>): 'a' | 'b' | null {
  if (experiment === undefined || runId === null) return null;
  const share = createHash('sha256').update(runId).digest().readUInt32BE(0) / 2 ** 32;
  return share < experiment.fraction ? 'b' : 'a';
}

/** Without a vendor (`TOOL_PLANNER_LLM`), the heuristic planner replaces a model. */
export function plannerFor(
  { planner, experiment }: PlanningOptions,
  arm: 'a' | 'b' | null,
  vendor: string,
): PlannerName {
  const choice = (arm === 'b' ? experiment?.planner : planner) ?? 'auto';
  return choice === 'heuristic' || vendor === 'heuristic' ? 'heuristic' : 'model';
}

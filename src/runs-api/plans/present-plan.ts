import type { PlannedFallback, PlanStep, ToolPlan } from '../../orchestrators/planning';
import type { PlanDto, PlanFallbackDto, PlanStepDto } from './assistant-plan.dto';

/** The settings of the author's tools are not part of the answer. */
export function presentPlan(plan: ToolPlan): PlanDto {
  const { id, planner, cached, query_class, decomposition, steps, stages, reasoning, confidence, warnings } = plan;
  const { estimated_duration_ms, estimated_cost, planning_ms } = plan;
  return {
    id,
    planner,
    cached,
    query_class,
    decomposition: {
      ...decomposition,
      sub_queries: decomposition.sub_queries.map((part) => ({ ...part, dependencies: [...part.dependencies] })),
    },
    steps: steps.map(presentStep),
    stages: stages.map((stage) => [...stage]),
    reasoning,
    confidence,
    estimated_duration_ms,
    estimated_cost,
    warnings: [...warnings],
    planning_ms: Math.round(planning_ms * 10) / 10,
  };
}

const presentStep = ({ query, config, dependencies, fallback, ...step }: PlanStep): PlanStepDto => ({
  ...step,
  parameters: { query, ...config },
  dependencies: [...dependencies],
  fallback: fallback === null ? null : presentFallback(fallback),
});

const presentFallback = ({ plugin, placeholder, condition, threshold }: PlannedFallback): PlanFallbackDto => ({
  tool: plugin,
  placeholder,
  condition,
  threshold,
});

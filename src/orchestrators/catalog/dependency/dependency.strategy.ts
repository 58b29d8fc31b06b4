import { Injectable } from '@nestjs/common';
import { PARALLEL_TEXTS, type PipelineTool, type ToolOutcome } from '../../../tools';
import { Conditions } from '../../conditions';
import type { OrchestratorStrategy, StrategyContext, StrategyDefinition, StrategyTrace } from '../../contract';
import { dependenciesOf } from '../../depends-on';
import { allBehind, runWhenReady, type TaskGraph, taskGraph } from '../../task-graph';

/** Each tool as soon as the tools that it depends on are done; it sees their outcomes and those behind them. */
@Injectable()
export class DependencyStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'dependency',
    description: 'Runs each tool as soon as the tools that it depends on are done; it sees what they found.',
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };
  readonly reads = ['depends_on', 'on_dependency_failure', 'when'] as const;

  /** Keyed by the list of tools, which lives as long as the cached assistant. */
  private readonly orders = new WeakMap<readonly PipelineTool[], Order>();

  async execute(context: StrategyContext): Promise<StrategyTrace> {
    const { tools, emit, start, skip } = context;
    if (tools.length === 0) return {};
    const { dependencies, graph, behind, stages, told } = this.orderOf(tools);
    emit({ type: 'run.progress', message: told });
    const conditions = new Conditions(context);
    const outcomes: ToolOutcome[] = [];
    for (const position of graph.stuck) {
      const tool = tools[position];
      if (tool !== undefined) skip(tool, 'it waits for tools that wait for each other');
    }
    await runWhenReady(graph, (position) => {
      const tool = tools[position];
      if (tool === undefined) return undefined;
      const after = present(behind[position] ?? [], outcomes);
      const reason =
        failureAmong(dependencies[position] ?? [], outcomes, tool) ?? conditions.reasonAgainst(tool, after);
      if (reason !== null) {
        outcomes[position] = skip(tool, reason);
        return undefined;
      }
      return start(tool, PARALLEL_TEXTS, after).then((outcome) => (outcomes[position] = outcome));
    });
    return { stages };
  }

  private orderOf(tools: readonly PipelineTool[]): Order {
    const known = this.orders.get(tools);
    if (known !== undefined) return known;
    const dependencies = dependenciesOf(tools);
    const graph = taskGraph(dependencies);
    const stages = graph.stages.map((stage) => stage.map((position) => nameOf(tools[position])));
    const told = `🧭 Stages: ${stages.map((stage) => stage.join(', ')).join(' → ')}`;
    const order = { dependencies, graph, behind: allBehind(dependencies, graph), stages, told };
    this.orders.set(tools, order);
    return order;
  }
}

/** In which order tools may run; the same for every run of an assistant. */
interface Order {
  readonly dependencies: readonly (readonly number[])[];
  readonly graph: TaskGraph;
  readonly behind: readonly (readonly number[])[];
  readonly stages: readonly (readonly string[])[];
  readonly told: string;
}

const nameOf = (tool: PipelineTool | undefined): string => tool?.placeholder ?? tool?.plugin ?? '';

function present(positions: readonly number[], outcomes: readonly ToolOutcome[]): ToolOutcome[] {
  const found: ToolOutcome[] = [];
  for (const position of positions) {
    const outcome = outcomes[position];
    if (outcome !== undefined) found.push(outcome);
  }
  return found;
}

function failureAmong(needed: readonly number[], outcomes: readonly ToolOutcome[], tool: PipelineTool): string | null {
  if (tool.on_dependency_failure === 'run') return null;
  for (const position of needed) {
    const outcome = outcomes[position];
    if (outcome === undefined || outcome.status === 'completed') continue;
    const how = outcome.status === 'failed' ? 'failed' : 'was skipped';
    return `${outcome.placeholder ?? outcome.plugin}, which it depends on, ${how}`;
  }
  return null;
}

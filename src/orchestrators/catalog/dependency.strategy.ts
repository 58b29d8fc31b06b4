import { after } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type CompiledTool, PARALLEL_TEXTS, type PipelineTool, type ToolOutcome } from '../../tools';
import { Conditions, compileCondition } from '../conditions';
import type { OrchestratorStrategy, RunStrategy, StrategyDefinition } from '../contract';
import { allBehind, dependenciesOf, runWhenReady, taskGraph } from '../task-graph';

/**
 * Starts each tool once its dependencies are done. The tool sees the outcomes of all its dependencies, direct or not.
 */
@Injectable()
export class DependencyStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'dependency',
    description: 'Runs each tool as soon as the tools that it depends on are done; it sees what they found.',
    texts: {
      en: {
        name: 'By dependency',
        about: 'Each tool runs as soon as the tools it waits for are done, and sees what they found.',
        best: 'Best when some tools need others and the rest need not wait.',
      },
      es: {
        name: 'Por dependencias',
        about: 'Cada herramienta se ejecuta en cuanto terminan aquellas a las que espera, y ve lo que encontraron.',
        best: 'Ideal cuando unas herramientas necesitan a otras y el resto no tiene que esperar.',
      },
      ca: {
        name: 'Per dependències',
        about: 'Cada eina s’executa tan bon punt acaben les que espera, i veu el que han trobat.',
        best: 'Ideal quan unes eines en necessiten d’altres i la resta no ha d’esperar.',
      },
      eu: {
        name: 'Mendekotasunen arabera',
        about: 'Tresna bakoitza zain dituenak amaitu bezain laster exekutatzen da, eta haiek aurkitutakoa ikusten du.',
        best: 'Egokia tresna batzuek besteak behar dituztenean eta gainerakoek itxaron behar ez dutenean.',
      },
    },
    reads: ['depends_on', 'on_dependency_failure', 'when'],
    shape: { order: 'dependencies', planned: false },
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  compile(tools: readonly CompiledTool[]): RunStrategy {
    const dependencies = dependenciesOf(tools);
    const graph = taskGraph(dependencies);
    const behind = allBehind(dependencies, graph);
    const conditionOf = tools.map((tool) => compileCondition(tool));
    const stages = graph.stages.map((stage) => stage.map((position) => nameOf(tools[position])));
    const message = `🧭 Stages: ${stages.map((stage) => stage.join(', ')).join(' → ')}`;
    return async (context) => {
      if (tools.length === 0) return {};
      const { emit, call, skip } = context;
      emit({ type: 'run.progress', message });
      const conditions = new Conditions(context);
      const outcomes: ToolOutcome[] = [];
      for (const position of graph.stuck) {
        const tool = tools[position];
        if (tool !== undefined) skip(tool, 'it waits for tools that wait for each other');
      }
      await runWhenReady(graph, (position) => {
        const tool = tools[position];
        if (tool === undefined) return undefined;
        const earlier = present(behind[position] ?? [], outcomes);
        const reason =
          failureAmong(dependencies[position] ?? [], outcomes, tool) ??
          conditions.reasonAgainst(conditionOf[position] ?? null, earlier);
        if (reason !== null) {
          outcomes[position] = skip(tool, reason);
          return undefined;
        }
        return after(call(tool, PARALLEL_TEXTS, earlier), (outcome) => (outcomes[position] = outcome));
      });
      return { stages };
    };
  }
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

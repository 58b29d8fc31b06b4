import { Injectable } from '@nestjs/common';
import { type CompiledTool, PARALLEL_TEXTS } from '../../tools';
import type { OrchestratorStrategy, RunStrategy, StrategyDefinition } from '../contract';

/** All tools at once, as many as one run may run. */
@Injectable()
export class ParallelStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'parallel',
    description: 'Runs all tools at the same time; none sees the others.',
    texts: {
      en: {
        name: 'Parallel',
        about: 'All tools run at the same time; none sees the others.',
        best: 'Best for independent tools, and fastest.',
      },
      es: {
        name: 'Paralela',
        about: 'Todas las herramientas se ejecutan a la vez; ninguna ve a las demás.',
        best: 'Ideal para herramientas independientes, y la más rápida.',
      },
      ca: {
        name: 'Paral·lela',
        about: 'Totes les eines s’executen alhora; cap veu les altres.',
        best: 'Ideal per a eines independents, i la més ràpida.',
      },
      eu: {
        name: 'Paraleloa',
        about: 'Tresna guztiak aldi berean exekutatzen dira; inork ez ditu besteak ikusten.',
        best: 'Egokia tresna independenteetarako, eta azkarrena.',
      },
    },
    reads: [],
    shape: { order: 'parallel', planned: false },
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  compile(tools: readonly CompiledTool[]): RunStrategy {
    const message = `🚀 Starting parallel execution of ${tools.length} tools`;
    return ({ call, emit }) => {
      if (tools.length === 0) return;
      emit({ type: 'run.progress', message });
      const outcomes = tools.map((tool) => call(tool, PARALLEL_TEXTS, []));
      const waiting = outcomes.filter((outcome) => outcome instanceof Promise);
      return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
    };
  }
}

import { Injectable } from '@nestjs/common';
import { PARALLEL_TEXTS } from '../../../tools';
import type { OrchestratorStrategy, StrategyContext, StrategyDefinition } from '../../contract';

/** All tools at once, as many as one run may run (spec 000 §3.4.2). */
@Injectable()
export class ParallelStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'parallel',
    description: 'Runs all tools at the same time; none sees the others.',
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  async execute({ tools, start, emit }: StrategyContext): Promise<void> {
    if (tools.length === 0) return;
    emit({ type: 'run.progress', message: `🚀 Starting parallel execution of ${tools.length} tools` });
    await Promise.all(tools.map((tool) => start(tool, PARALLEL_TEXTS, [])));
  }
}

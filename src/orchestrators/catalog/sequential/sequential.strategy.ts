import { Injectable } from '@nestjs/common';
import { SEQUENTIAL_TEXTS, type ToolOutcome } from '../../../tools';
import type { OrchestratorStrategy, StrategyContext, StrategyDefinition } from '../../contract';

/** One tool after another; each sees the prompt with the earlier slots filled (spec 000 §3.4.3). */
@Injectable()
export class SequentialStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'sequential',
    description: 'Runs the tools one after another; each sees what the earlier ones found.',
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  async execute({ tools, start }: StrategyContext): Promise<void> {
    const earlier: ToolOutcome[] = [];
    for (const tool of tools) earlier.push(await start(tool, SEQUENTIAL_TEXTS, [...earlier]));
  }
}

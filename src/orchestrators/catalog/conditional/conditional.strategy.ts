import { Injectable } from '@nestjs/common';
import { SEQUENTIAL_TEXTS, type ToolOutcome } from '../../../tools';
import { Conditions } from '../../conditions';
import type { OrchestratorStrategy, StrategyContext, StrategyDefinition } from '../../contract';

/** One tool after another, those whose condition is met; each sees what the earlier ones found. */
@Injectable()
export class ConditionalStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'conditional',
    description:
      'Runs the tools one after another, each only when its condition over question, request and results is met.',
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };
  readonly reads = ['when'] as const;

  async execute(context: StrategyContext): Promise<void> {
    const conditions = new Conditions(context);
    const earlier: ToolOutcome[] = [];
    for (const tool of context.tools) {
      const reason = conditions.reasonAgainst(tool, earlier);
      earlier.push(
        reason === null ? await context.start(tool, SEQUENTIAL_TEXTS, [...earlier]) : context.skip(tool, reason),
      );
    }
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { RubricsService } from '../../../rubrics';
import type { ToolContext, ToolInput, ToolOutput } from '../../../tools';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../../contract';

/**
 * LAMB's `rubric_rag`: the rubric with the task of evaluating a work with it, in our own words. Without a rubric the context
 * is empty, which is no failure.
 */
@Injectable()
export class RubricRagProcessor implements RagProcessor {
  readonly fetches = true;
  readonly definition: ProcessorDefinition = {
    name: 'rubric_rag',
    aliases: [],
    description: 'Fetches one rubric with the task of evaluating a work by it, as Markdown or JSON.',
  };

  constructor(@Inject(RubricsService) private readonly rubrics: Pick<RubricsService, 'forPrompt'>) {}

  async run({ rubricId, rubricFormat }: RagSettings, _: ToolInput, context: ToolContext): Promise<ToolOutput> {
    if (rubricId === null || rubricId === '') return { content: '', sources: [], confidence: null };
    context.progress(`generating rubric ${rubricId}`);
    const format = rubricFormat === 'json' ? 'json' : 'markdown';
    const { text, source } = await this.rubrics.forPrompt(context.owner, rubricId, format, true);
    return { content: text, sources: [source], confidence: null };
  }

  outputLimit(): number {
    return Infinity;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { RubricsService } from '../../rubrics';
import type { ToolContext, ToolInput, ToolOutput } from '../../tools';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../contract';

/**
 * LAMB's `rubric_rag`: the rubric with the task of evaluating a work with it, in our own words. Without a rubric the context
 * is empty, which is no failure.
 */
@Injectable()
export class RubricRagProcessor implements RagProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'rubric_rag',
    aliases: ['rubric'],
    description: 'Puts one rubric into the prompt and asks the model to evaluate a piece of work with it.',
    texts: {
      en: {
        name: 'Assessment Rubric',
        about: 'Puts one rubric into the prompt and asks the model to evaluate a piece of work with it.',
      },
      es: {
        name: 'Rúbrica de evaluación',
        about: 'Incluye una rúbrica en el prompt y pide al modelo que evalúe un trabajo con ella.',
      },
      ca: {
        name: 'Rúbrica d’avaluació',
        about: 'Inclou una rúbrica al prompt i demana al model que avaluï un treball amb ella.',
      },
      eu: {
        name: 'Ebaluazio-errubrika',
        about: 'Errubrika bat sartzen du promptean, eta lan bat harekin ebaluatzeko eskatzen dio ereduari.',
      },
    },
    settings: ['rubric'],
    slots: ['context'],
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

import type { AssembledMessages } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { QuestionRewriter } from '../../knowledge-bases';
import { questionText, type ToolContext, type ToolInput, type ToolOutput } from '../../tools';
import { augment } from '../augment';
import { AS_LAMB } from '../collection-passages';
import {
  fetches,
  type ProcessorDefinition,
  type PromptInput,
  type PromptProcessor,
  type RagProcessor,
  type RagSettings,
} from '../contract';

/** `simple_augment` whose RAG processor, whichever it is, is asked the question that the whole conversation leads to. */
@Injectable()
export class ContextAwareAugmentProcessor implements PromptProcessor {
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'context_aware_augment',
    aliases: [],
    description: 'Like Simple. A fast model first turns the conversation into one search question.',
    texts: {
      en: {
        name: 'Uses the conversation',
        about: 'Like Simple. A fast model first turns the conversation into one search question.',
      },
      es: {
        name: 'Usa la conversación',
        about: 'Como el simple. Un modelo rápido resume antes la conversación en una pregunta de búsqueda.',
      },
      ca: {
        name: 'Usa la conversa',
        about: 'Com el simple. Un model ràpid resumeix abans la conversa en una pregunta de cerca.',
      },
      eu: {
        name: 'Elkarrizketa erabiltzen du',
        about: 'Sinplea bezala. Eredu azkar batek lehenik elkarrizketa bilaketa-galdera batean laburbiltzen du.',
      },
    },
  };

  constructor(@Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>) {}

  build(input: PromptInput): AssembledMessages {
    return augment(input);
  }

  around(rag: RagProcessor): RagProcessor {
    return rag.rewrites === true || !fetches(rag) ? rag : new RewritingRag(rag, this.rewriter);
  }
}

/** Runs inside the call of the RAG processor, so that its deadline and its cancellation hold for the rewriting, too. */
class RewritingRag implements RagProcessor {
  readonly rewrites = true;
  /** A model words the question first, which the settings of the RAG processor do not show. */
  readonly variant = 'rewriting';

  constructor(
    private readonly rag: RagProcessor,
    private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {}

  get definition(): ProcessorDefinition {
    return this.rag.definition;
  }

  async run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const question = await questionText(this.rewriter, AS_LAMB, input, context);
    const output = await this.rag.run(settings, { ...input, query: question.text }, context);
    return {
      ...output,
      warnings: [...question.warnings, ...(output.warnings ?? [])],
      query: output.query ?? question.rewritten,
    };
  }

  outputLimit(settings: RagSettings): number {
    return this.rag.outputLimit?.(settings) ?? Infinity;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { AssembledMessages } from '../../../kernel';
import { QuestionRewriter } from '../../../knowledge-bases';
import { questionText, type ToolContext, type ToolInput, type ToolOutput } from '../../../tools';
import { augment } from '../../augment';
import type { ProcessorDefinition, PromptInput, PromptProcessor, RagProcessor, RagSettings } from '../../contract';

/** `simple_augment` whose RAG processor, whichever it is, is asked the question that the whole conversation leads to. */
@Injectable()
export class ContextAwareAugmentProcessor implements PromptProcessor {
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'context_aware_augment',
    aliases: [],
    description:
      "Like simple_augment; the organization's fast model first words the question for the RAG processor from the conversation.",
  };

  constructor(@Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>) {}

  build(input: PromptInput): AssembledMessages {
    return augment(input);
  }

  around(rag: RagProcessor): RagProcessor {
    return rag.rewrites === true || !rag.fetches ? rag : new RewritingRag(rag, this.rewriter);
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

  get fetches(): boolean {
    return this.rag.fetches;
  }

  async run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const question = await questionText(this.rewriter, true, input, context);
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

import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_MAX_TOKENS, QuestionRewriter, RetrievalService } from '../../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../../tools';
import { collectionPassages } from '../../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../../contract';

/** LAMB's `context_aware_rag`: `simple_rag` with the question that the whole conversation leads to. */
@Injectable()
export class ContextAwareRagProcessor implements RagProcessor {
  readonly fetches = true;
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'context_aware_rag',
    aliases: [],
    description:
      "Lets the organization's fast model word the question from the conversation, then fetches passages for it.",
  };

  constructor(
    @Inject(RetrievalService) private readonly retrieval: Retriever,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {}

  run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const { retrieval, rewriter } = this;
    return collectionPassages({ retrieval, rewriter }, settings, input, context, { maxTokens: DEFAULT_MAX_TOKENS });
  }

  outputLimit(): number {
    return Infinity;
  }
}

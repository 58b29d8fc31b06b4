import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_MAX_TOKENS, QuestionRewriter, RetrievalService } from '../../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../../tools';
import { collectionPassages } from '../../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../../contract';

/** LAMB's `hierarchical_rag`: `context_aware_rag` that returns the sections of the passages that match. */
@Injectable()
export class HierarchicalRagProcessor implements RagProcessor {
  readonly fetches = true;
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'hierarchical_rag',
    aliases: [],
    description:
      'Words the question from the conversation, and fetches the whole sections that matching passages belong to.',
  };

  constructor(
    @Inject(RetrievalService) private readonly retrieval: Retriever,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {}

  run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const { retrieval, rewriter } = this;
    const options = { parent: true, maxTokens: DEFAULT_MAX_TOKENS };
    return collectionPassages({ retrieval, rewriter }, settings, input, context, options);
  }

  outputLimit(): number {
    return Infinity;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { RetrievalService } from '../../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../../tools';
import { collectionPassages } from '../../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../../contract';

/** LAMB's `simple_rag`: up to `RAG_Top_k` passages of each collection, collection after collection, as they come. */
@Injectable()
export class SimpleRagProcessor implements RagProcessor {
  readonly fetches = true;
  readonly definition: ProcessorDefinition = {
    name: 'simple_rag',
    aliases: [],
    description: "Fetches the passages of the assistant's knowledge bases that answer the question.",
  };

  constructor(@Inject(RetrievalService) private readonly retrieval: Retriever) {}

  run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    return collectionPassages({ retrieval: this.retrieval, rewriter: null }, settings, input, context);
  }

  outputLimit(): number {
    return Infinity;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../../../knowledge-bases';
import { retrieveAccessible, type ToolContext, ToolFailure, type ToolInput, type ToolOutput } from '../../../tools';
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

  constructor(
    @Inject(KnowledgeBasesService)
    private readonly knowledgeBases: Pick<KnowledgeBasesService, 'retrieve' | 'inaccessible'>,
  ) {}

  async run(settings: RagSettings, { query }: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const { collections, topK } = settings;
    if (collections.length === 0) throw new ToolFailure('tool.config_incomplete', 'no knowledge base is chosen');
    for (const collection of collections) context.progress(`querying knowledge base ${collection}`);
    const { signal, owner } = context;
    const asked = { text: query, collections, topK, threshold: 0, signal };
    const found = await retrieveAccessible(this.knowledgeBases, owner, asked);
    const passages = found.byCollection.flatMap((each) => each.passages);
    return {
      content: passages.map(({ text }) => text).join('\n\n'),
      sources: passages.map(({ source }) => source),
      confidence: null,
      warnings: found.warnings,
    };
  }

  outputLimit(): number {
    return Infinity;
  }
}

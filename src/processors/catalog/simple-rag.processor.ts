import { Inject, Injectable } from '@nestjs/common';
import { RetrievalService } from '../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../tools';
import { collectionPassages } from '../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../contract';

/** LAMB's `simple_rag`: up to `RAG_Top_k` passages of each collection, collection after collection, as they come. */
@Injectable()
export class SimpleRagProcessor implements RagProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'simple_rag',
    aliases: [],
    description: 'Fetches the passages of the chosen knowledge bases that answer the question.',
    texts: {
      en: {
        name: 'Knowledge Base RAG',
        about: 'Fetches the passages of the chosen knowledge bases that answer the question.',
      },
      es: {
        name: 'Base de conocimiento',
        about: 'Busca en las bases de conocimiento elegidas los fragmentos que responden a la pregunta.',
      },
      ca: {
        name: 'Base de coneixement',
        about: 'Cerca a les bases de coneixement triades els fragments que responen la pregunta.',
      },
      eu: {
        name: 'Ezagutza-basea',
        about: 'Galderari erantzuten dioten pasarteak bilatzen ditu aukeratutako ezagutza-baseetan.',
      },
    },
    settings: ['collections'],
    material_search: { nothing_found: 'empty' },
    slots: ['context'],
  };

  constructor(@Inject(RetrievalService) private readonly retrieval: Retriever) {}

  run(settings: RagSettings, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    return collectionPassages({ retrieval: this.retrieval, rewriter: null }, settings, input, context);
  }

  outputLimit(): number {
    return Infinity;
  }
}

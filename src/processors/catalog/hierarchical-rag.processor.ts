import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_MAX_TOKENS, QuestionRewriter, RetrievalService } from '../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../tools';
import { collectionPassages } from '../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../contract';

/** LAMB's `hierarchical_rag`: `context_aware_rag` that returns the sections of the passages that match. */
@Injectable()
export class HierarchicalRagProcessor implements RagProcessor {
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'hierarchical_rag',
    aliases: [],
    description: 'Turns the conversation into one question and fetches the whole sections around matching passages.',
    texts: {
      en: {
        name: 'Knowledge Base RAG, whole sections',
        about: 'Turns the conversation into one question and fetches the whole sections around matching passages.',
      },
      es: {
        name: 'Base de conocimiento, secciones enteras',
        about: 'Resume la conversación en una pregunta y recupera las secciones enteras de los fragmentos encontrados.',
      },
      ca: {
        name: 'Base de coneixement, seccions senceres',
        about: 'Resumeix la conversa en una pregunta i recupera les seccions senceres dels fragments trobats.',
      },
      eu: {
        name: 'Ezagutza-basea, atal osoak',
        about: 'Elkarrizketa galdera bakar batean laburbiltzen du, eta aurkitutako pasarteen atal osoak hartzen ditu.',
      },
    },
    settings: ['collections'],
    material_search: { nothing_found: 'empty' },
    slots: ['context'],
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

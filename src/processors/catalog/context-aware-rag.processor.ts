import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_MAX_TOKENS, QuestionRewriter, RetrievalService } from '../../knowledge-bases';
import type { Retriever, ToolContext, ToolInput, ToolOutput } from '../../tools';
import { collectionPassages } from '../collection-passages';
import type { ProcessorDefinition, RagProcessor, RagSettings } from '../contract';

/** LAMB's `context_aware_rag`: `simple_rag` with the question that the whole conversation leads to. */
@Injectable()
export class ContextAwareRagProcessor implements RagProcessor {
  readonly rewrites = true;
  readonly definition: ProcessorDefinition = {
    name: 'context_aware_rag',
    aliases: [],
    description: 'A fast model turns the conversation into one question. Then passages are searched for it.',
    texts: {
      en: {
        name: 'Knowledge Base RAG (uses the conversation)',
        about: 'A fast model turns the conversation into one question. Then passages are searched for it.',
      },
      es: {
        name: 'Base de conocimiento (usa la conversación)',
        about: 'Un modelo rápido resume la conversación en una pregunta. Después se buscan fragmentos para ella.',
      },
      ca: {
        name: 'Base de coneixement (usa la conversa)',
        about: 'Un model ràpid resumeix la conversa en una pregunta. Després es cerquen fragments per a ella.',
      },
      eu: {
        name: 'Ezagutza-basea (elkarrizketa erabiltzen du)',
        about:
          'Eredu azkar batek elkarrizketa galdera bakar batean laburbiltzen du. Gero galdera horretarako pasarteak bilatzen dira.',
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
    return collectionPassages({ retrieval, rewriter }, settings, input, context, { maxTokens: DEFAULT_MAX_TOKENS });
  }

  outputLimit(): number {
    return Infinity;
  }
}

import type { Principal } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { QuestionRewriter, RETRIEVAL_MODES, RetrievalService } from '../../knowledge-bases';
import type { ConfigGap, Tool, ToolCaching, ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../contract';
import { inLanguageOf, questionText } from '../search/retrieve-accessible';
import {
  advanced,
  chosenCollections,
  collectionGaps,
  COLLECTION_PROPERTIES,
  PASSAGE_PROPERTIES,
  searchCaching,
  searchCollections,
  searchOutputLimit,
  type SearchRetrieval,
  type SearchSettings,
} from '../search';

export type SimpleRagConfig = SearchSettings;

/** Passages of knowledge bases that answer the question. */
@Injectable()
export class SimpleRagTool implements Tool<SimpleRagConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  readonly caching: ToolCaching<SimpleRagConfig>;

  constructor(
    @Inject(RetrievalService) private readonly retrieval: SearchRetrieval,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {
    this.caching = searchCaching(retrieval);
  }

  async run(config: SimpleRagConfig, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const collections = chosenCollections(config);
    const material = (): Promise<readonly string[]> => this.retrieval.languages(context.owner, collections);
    const question = await questionText(this.rewriter, config, input, context, material);
    return searchCollections(this.retrieval, config, question, context, (languages) =>
      inLanguageOf(this.rewriter, config, input, context, languages),
    );
  }

  target({ collections }: SimpleRagConfig, { owner }: Pick<ToolContext, 'owner'>): Promise<string | null> {
    return this.retrieval.target(owner, collections);
  }

  outputLimit(config: SimpleRagConfig): number {
    return searchOutputLimit(config);
  }

  gaps(config: SimpleRagConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    return collectionGaps(this.retrieval, config, owner);
  }
}

const DEFINITION: ToolDefinition = {
  name: 'simple_rag',
  aliases: [],
  display_name: 'Knowledge Base RAG',
  description: 'Finds the passages of your knowledge bases that answer the question.',
  texts: {
    es: {
      name: 'Base de conocimiento',
      about: 'Busca en sus bases de conocimiento los fragmentos que responden a la pregunta.',
    },
    ca: {
      name: 'Base de coneixement',
      about: 'Cerca a les vostres bases de coneixement els fragments que responen la pregunta.',
    },
    eu: {
      name: 'Ezagutza-basea',
      about: 'Galderari erantzuten dioten pasarteak bilatzen ditu zure ezagutza-baseetan.',
    },
  },
  placeholder: 'context',
  category: 'rag',
  role: 'search',
  material_search: { nothing_found: 'empty' },
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'book-open',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      ...COLLECTION_PROPERTIES,
      ...advanced({
        mode: {
          type: 'string',
          title: 'Search mode',
          description: 'How passages are found. Default: the mode of each knowledge base.',
          enum: [...RETRIEVAL_MODES],
        },
        ...PASSAGE_PROPERTIES,
      }),
    },
    required: ['collections'],
    additionalProperties: false,
  },
  parameters: {},
  examples: [
    {
      query: 'Where does photosynthesis happen?',
      parameters: { collections: ['course-materials'], top_k: 3 },
      expected_result: 'The three most similar passages of the course materials.',
    },
  ],
  capabilities: ['retrieval', 'question_answering', 'citations'],
  limitations: ['Finds passages, not whole documents.'],
  cost: { unit: 'none', estimate: 0 },
};

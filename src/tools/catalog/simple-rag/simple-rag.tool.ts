import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../../../kernel';
import { KnowledgeBasesService, RETRIEVAL_MODES, type RetrievalMode } from '../../../knowledge-bases';
import {
  type ConfigGap,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../../contract';
import { retrieveAccessible } from '../../retrieve-accessible';
import { passageText, SOURCES_IN_PROMPT, type SourcesInPrompt } from './passage-text';

export interface SimpleRagConfig extends JsonObject {
  readonly collections: readonly string[];
  readonly top_k: number;
  readonly threshold: number;
  readonly mode?: RetrievalMode;
  readonly rewrite_query: boolean;
  readonly sources_in_prompt: SourcesInPrompt;
}

/** Passages of knowledge bases that answer the question. */
@Injectable()
export class SimpleRagTool implements Tool<SimpleRagConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  constructor(
    @Inject(KnowledgeBasesService)
    private readonly knowledgeBases: Pick<KnowledgeBasesService, 'retrieve' | 'inaccessible'>,
  ) {}

  async run(config: SimpleRagConfig, { query }: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const collections = [...new Set(config.collections)];
    if (collections.length === 0) throw new ToolFailure('tool.config_incomplete', NO_COLLECTION);
    for (const collection of collections) context.progress(`querying knowledge base ${collection}`);
    const { top_k: topK, threshold, mode, sources_in_prompt: style } = config;
    const { signal, owner } = context;
    const asked = { text: query, collections, topK, threshold, signal, ...(mode === undefined ? {} : { mode }) };
    const found = await retrieveAccessible(this.knowledgeBases, owner, asked);
    // Classic assistants read each knowledge base's passages in turn; their block must find the same text before it.
    const passages = style === 'lamb' ? found.byCollection.flatMap((each) => each.passages) : found.passages;
    return {
      ...passageText(passages, style),
      sources: passages.map(({ source }) => source),
      confidence: null,
      warnings: found.warnings,
    };
  }

  async gaps({ collections }: SimpleRagConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    if (collections.length === 0) {
      return [{ path: 'collections', code: 'tool.config_incomplete', message: NO_COLLECTION }];
    }
    const missing = new Set(await this.knowledgeBases.inaccessible(owner, [...collections]));
    return [...collections.entries()]
      .filter(([, collection]) => missing.has(collection))
      .map(([index, collection]) => ({
        path: `collections[${index}]`,
        code: 'tool.inaccessible',
        message: `knowledge base ${collection} is not accessible`,
      }));
  }
}

const NO_COLLECTION = 'no knowledge base is chosen';

const DEFINITION: ToolDefinition = {
  name: 'simple_rag',
  aliases: [],
  display_name: 'Knowledge base',
  description: 'Finds the passages of your knowledge bases that answer the question.',
  placeholder: 'context',
  category: 'rag',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'book-open',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      collections: {
        type: 'array',
        title: 'Knowledge bases',
        description: 'Ids or slugs of the knowledge bases to search, up to 20.',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        maxItems: 20,
        default: [],
        'x-reference': 'knowledge_base',
      },
      top_k: {
        type: 'integer',
        title: 'Passages',
        description: 'How many passages reach the prompt.',
        minimum: 1,
        maximum: 20,
        default: 3,
      },
      threshold: {
        type: 'number',
        title: 'Least similarity',
        description: 'Passages below this similarity are left out.',
        minimum: 0,
        maximum: 1,
        default: 0,
      },
      mode: {
        type: 'string',
        title: 'Search mode',
        description: 'How passages are found; without it each knowledge base decides.',
        enum: [...RETRIEVAL_MODES],
      },
      rewrite_query: {
        type: 'boolean',
        title: 'Rewrite the question',
        description: 'Lets a small model put the question into search terms, where one is configured.',
        default: false,
      },
      sources_in_prompt: {
        type: 'string',
        title: 'Sources in the prompt',
        description:
          'none: passages only. numbered: [n] before each passage, so that the answer can cite. lamb: a list of sources behind the passages.',
        enum: [...SOURCES_IN_PROMPT],
        default: 'none',
      },
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

import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../../../kernel';
import {
  DEFAULT_MAX_TOKENS,
  QuestionRewriter,
  RETRIEVAL_MODES,
  type RetrievalMode,
  RetrievalService,
} from '../../../knowledge-bases';
import {
  type ConfigGap,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../../contract';
import { questionText, retrieveAccessible } from '../../retrieve-accessible';
import { passageText, SOURCES_IN_PROMPT, type SourcesInPrompt } from './passage-text';

export interface SimpleRagConfig extends JsonObject {
  readonly collections: readonly string[];
  readonly top_k: number;
  readonly threshold: number;
  readonly mode?: RetrievalMode;
  readonly rewrite_query: boolean;
  /** Whole sections instead of the chunks that match. */
  readonly parent: boolean;
  readonly max_tokens: number;
  readonly sources_in_prompt: SourcesInPrompt;
}

/** Passages of knowledge bases that answer the question. */
@Injectable()
export class SimpleRagTool implements Tool<SimpleRagConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  constructor(
    @Inject(RetrievalService)
    private readonly retrieval: Pick<RetrievalService, 'retrieve' | 'inaccessible' | 'unmet'>,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {}

  async run(config: SimpleRagConfig, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const collections = [...new Set(config.collections)];
    if (collections.length === 0) throw new ToolFailure('tool.config_incomplete', NO_COLLECTION);
    for (const collection of collections) context.progress(`querying knowledge base ${collection}`);
    const { top_k: topK, threshold, mode, parent, max_tokens: maxTokens, sources_in_prompt: style } = config;
    const { signal, owner, caller, assistantId } = context;
    const question = await questionText(this.rewriter, config.rewrite_query, input, context);
    const found = await retrieveAccessible(this.retrieval, owner, {
      text: question.text,
      collections,
      topK,
      threshold,
      parent,
      maxTokens,
      // Classic assistants read each knowledge base's passages in turn; their block must find the same text before it.
      grouped: style === 'lamb',
      reader: caller,
      assistantId,
      signal,
      ...(mode === undefined ? {} : { mode }),
    });
    return {
      ...passageText(found.passages, style),
      sources: found.passages.map(({ source }) => source),
      confidence: null,
      warnings: [...question.warnings, ...found.warnings],
      query: question.rewritten,
    };
  }

  /** Its own budget holds; this leaves room for the list of sources. */
  outputLimit({ max_tokens }: SimpleRagConfig): number {
    return 4 * max_tokens + 50_000;
  }

  async gaps({ collections, mode }: SimpleRagConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    if (collections.length === 0) {
      return [{ path: 'collections', code: 'tool.config_incomplete', message: NO_COLLECTION }];
    }
    const missing = new Set(await this.retrieval.inaccessible(owner, [...collections]));
    const unmet = mode === undefined ? new Map<string, string>() : await this.retrieval.unmet(owner, collections, mode);
    return [...collections.entries()].flatMap(([index, collection]): ConfigGap[] => {
      const path = `collections[${index}]`;
      if (missing.has(collection)) {
        return [{ path, code: 'tool.inaccessible', message: `knowledge base ${collection} is not accessible` }];
      }
      const message = unmet.get(collection);
      return message === undefined ? [] : [{ path, code: 'tool.degraded', message }];
    });
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
        description: 'Lets the fast model turn the conversation into one question, where one is configured.',
        default: false,
      },
      parent: {
        type: 'boolean',
        title: 'Whole sections',
        description: 'Puts the sections into the prompt that matching passages belong to.',
        default: false,
      },
      max_tokens: {
        type: 'integer',
        title: 'Token budget',
        description: 'Estimated tokens of all passages together; what does not fit is left out.',
        minimum: 100,
        maximum: 100_000,
        default: DEFAULT_MAX_TOKENS,
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

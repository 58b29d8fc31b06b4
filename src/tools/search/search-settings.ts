import type { JsonObject } from '@bellwether/kernel';
import { DEFAULT_MAX_TOKENS, type RetrievalMode } from '../../knowledge-bases';
import { SOURCES_PROPERTY, type SourcesInPrompt } from './sources-block';

/** Settings of every tool that searches knowledge bases. */
export interface SearchSettings extends JsonObject {
  readonly collections: readonly string[];
  readonly top_k: number;
  readonly threshold: number;
  readonly mode?: RetrievalMode;
  /** Default: as `wantsRewriting` says. */
  readonly rewrite_query?: boolean;
  /** Whole sections instead of the chunks that match. */
  readonly parent: boolean;
  /** Default: as each knowledge base says. */
  readonly rerank?: boolean;
  readonly max_tokens: number;
  readonly sources_in_prompt: SourcesInPrompt;
}

/** Prompts in the form of LAMB stay as LAMB fills them, unless the setting says otherwise. */
export const wantsRewriting = ({ rewrite_query, sources_in_prompt }: RewritingSettings): boolean =>
  rewrite_query ?? sources_in_prompt !== 'lamb';

export type RewritingSettings = Pick<SearchSettings, 'rewrite_query' | 'sources_in_prompt'>;

export const NO_COLLECTION = 'no knowledge base is chosen';

/** Most UTF-16 units of an output, list of sources included. The token budget usually ends earlier. */
export const searchOutputLimit = ({ max_tokens }: Pick<SearchSettings, 'max_tokens'>): number =>
  4 * max_tokens + 50_000;

/** Properties of their config schemas, in the order in which a form shows them. */
export const COLLECTION_PROPERTIES: JsonObject = {
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
    title: 'Minimum similarity',
    description: 'Passages below this similarity are left out.',
    minimum: 0,
    maximum: 1,
    default: 0,
  },
};

/** The same properties, folded away in the form. */
export const advanced = (properties: Readonly<Record<string, JsonObject>>): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, { ...schema, 'x-advanced': true }]));

export const PASSAGE_PROPERTIES: Readonly<Record<string, JsonObject>> = {
  rewrite_query: {
    type: 'boolean',
    title: 'Rewrite the question',
    description:
      'The fast model turns the conversation into one question; without a model, a question that lacks its topic takes that of the one before. Default: on, except in the form of LAMB.',
    'x-default': true,
  },
  parent: {
    type: 'boolean',
    title: 'Whole sections',
    description: 'Puts the sections into the prompt that matching passages belong to.',
    default: false,
  },
  rerank: {
    type: 'boolean',
    title: 'Rerank the passages',
    description:
      "Your organization's reranker sorts what was found by how well it answers the question. Default: as each knowledge base says.",
  },
  max_tokens: {
    type: 'integer',
    title: 'Token budget',
    description: 'Estimated tokens of all passages together; what does not fit is left out.',
    minimum: 100,
    maximum: 100_000,
    default: DEFAULT_MAX_TOKENS,
  },
  sources_in_prompt: SOURCES_PROPERTY,
};

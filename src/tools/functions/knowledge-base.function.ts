import {
  AppError,
  isUuid,
  type JsonObject,
  type KnowledgeBaseSource,
  type Principal,
  strictObject,
} from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  DEFAULT_MAX_TOKENS,
  KnowledgeBasesService,
  type Passage,
  referenceInWords,
  referenceName,
  RETRIEVAL_MODES,
  type RetrievalMode,
  RetrievalService,
} from '../../knowledge-bases';
import {
  type ConfigGap,
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type OfferContext,
  type ToolDefinition,
  ToolFailure,
} from '../contract';
import { tellSearch } from '../search';

export interface KnowledgeBaseConfig extends JsonObject {
  /** Id or slug of a knowledge base, or the number of a collection on the organization's external server. */
  readonly kb_id: string | number | null;
  /** Name for the model, instead of the name and description of the knowledge base. */
  readonly name: string;
  readonly description: string;
  readonly top_k: number;
  readonly threshold: number;
  readonly mode?: RetrievalMode;
  readonly max_tokens: number;
}

interface Named {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
}

/** Lets the model search one knowledge base, as often as it needs. */
@Injectable()
export class KnowledgeBaseFunction implements FunctionPlugin<KnowledgeBaseConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  constructor(
    @Inject(RetrievalService) private readonly retrieval: Pick<RetrievalService, 'retrieve' | 'inaccessible'>,
    @Inject(KnowledgeBasesService) private readonly knowledgeBases: Pick<KnowledgeBasesService, 'get'>,
  ) {}

  async offer(config: KnowledgeBaseConfig, { owner }: OfferContext): Promise<readonly FunctionDeclaration[]> {
    const named = await this.named(config, owner);
    if (named === null) return [];
    const title = config.name.trim() || named.name;
    const about = (config.description.trim() || named.description.trim()).slice(0, ABOUT_CHARS).toWellFormed();
    return [
      {
        name: functionName(named.slug),
        description: `Searches the knowledge base "${title}" and returns the passages that answer a question.${about === '' ? '' : ` ${about}`}`,
        parameters: PARAMETERS,
      },
    ];
  }

  async call(
    _: string,
    args: JsonObject,
    config: KnowledgeBaseConfig,
    context: FunctionContext,
  ): Promise<FunctionOutput> {
    const collection = reference(config);
    if (collection === null) throw new ToolFailure('tool.config_incomplete', NO_KNOWLEDGE_BASE);
    const { top_k: topK, threshold, max_tokens: maxTokens, mode } = config;
    const { owner, caller, assistantId, signal } = context;
    const found = await this.retrieval
      .retrieve(owner, {
        text: String(args.query),
        collections: [collection],
        topK,
        threshold,
        maxTokens,
        reader: caller,
        assistantId,
        signal,
        onSearch: tellSearch(context),
        ...(mode === undefined ? {} : { mode }),
      })
      .catch((error: unknown) => {
        throw refusal(error);
      });
    return {
      content: found.passages.length === 0 ? NOTHING : found.passages.map(passageText).join('\n\n'),
      sources: found.passages.map(({ source }) => source),
      warnings: found.warnings,
    };
  }

  async gaps(config: KnowledgeBaseConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    const path = 'kb_id';
    const collection = reference(config);
    if (collection === null) return [{ path, code: 'tool.config_incomplete', message: NO_KNOWLEDGE_BASE }];
    if ((await this.named(config, owner)) !== null) return [];
    return [{ path, code: 'tool.inaccessible', message: `${referenceInWords(collection)} is not accessible` }];
  }

  /** Reads the current row with the owner's rights. Null when none is chosen, or it is deleted or not readable. */
  private async named(config: KnowledgeBaseConfig, owner: Principal): Promise<Named | null> {
    const collection = reference(config);
    if (collection === null) return null;
    if (isUuid(collection)) {
      try {
        return await this.knowledgeBases.get(owner, collection);
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return null;
        throw error;
      }
    }
    const missing = await this.retrieval.inaccessible(owner, [collection]);
    const name = referenceName(collection);
    return missing.length > 0 ? null : { slug: name, name, description: '' };
  }
}

const NO_KNOWLEDGE_BASE = 'no knowledge base is chosen';
const NOTHING = 'No passage of this knowledge base matches the query.';
/** Short, because the description is sent in every round. */
const ABOUT_CHARS = 1_000;
const PREFIX = 'query_kb_';
const NAME_CHARS = 64;
const DIGEST_CHARS = 8;

function reference({ kb_id }: KnowledgeBaseConfig): string | null {
  const text = String(kb_id ?? '').trim();
  return text === '' ? null : text;
}

/** `query_kb_{slug}`. Slugs that do not fit a function name are shortened and end in a digest of the slug. */
function functionName(slug: string): string {
  const plain = slug.replace(/[^A-Za-z0-9_-]/g, '_');
  const space = NAME_CHARS - PREFIX.length;
  if (plain === slug && slug.length <= space) return PREFIX + slug;
  const digest = createHash('sha256').update(slug).digest('hex').slice(0, DIGEST_CHARS);
  return `${PREFIX}${plain.slice(0, space - DIGEST_CHARS - 1)}_${digest}`;
}

/** One message for a deleted knowledge base and for a lost right, so that the model cannot tell them apart. */
const refusal = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'not_found'
    ? new ToolFailure('tool.unavailable', 'the knowledge base is not accessible')
    : error;

function placeOf({ title, place, page, page_end: end, section }: KnowledgeBaseSource): string {
  const pages = page === undefined ? '' : end === undefined ? `, page ${page}` : `, pages ${page}–${end}`;
  return `"${title}"${place === undefined ? pages : `, ${place.text}`}${section === undefined ? '' : `, ${section}`}`;
}

const passageText = ({ source, text }: Passage): string => `From ${placeOf(source)}:\n${text}`;

const PARAMETERS: JsonObject = strictObject({
  query: {
    type: 'string',
    minLength: 1,
    maxLength: 2_000,
    description: 'What to look for, as one question or phrase.',
  },
});

const DEFINITION: ToolDefinition = {
  name: 'knowledge_base',
  aliases: [],
  display_name: 'Knowledge base',
  description: 'Lets the model search one knowledge base when it needs to.',
  texts: {
    es: {
      name: 'Base de conocimiento',
      about: 'El modelo puede buscar en una base de conocimiento cuando lo necesite.',
    },
    ca: { name: 'Base de coneixement', about: 'El model pot cercar en una base de coneixement quan ho necessiti.' },
    eu: { name: 'Ezagutza-basea', about: 'Ereduak ezagutza-base batean bila dezake, behar duenean.' },
  },
  placeholder: null,
  category: 'rag',
  material_search: { nothing_found: 'worded' },
  version: '1.0.0',
  kind: 'function',
  icon: 'book-open',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      kb_id: {
        type: ['string', 'integer', 'null'],
        title: 'Knowledge base',
        description: 'Id or slug of the knowledge base.',
        maxLength: 200,
        default: null,
        'x-reference': 'knowledge_base',
      },
      name: {
        type: 'string',
        title: 'Name',
        description: 'The name that the model sees. Empty for the name of the knowledge base.',
        maxLength: 200,
        default: '',
      },
      description: {
        type: 'string',
        title: 'Description',
        description: 'Tells the model when to search it. Empty for the description of the knowledge base.',
        maxLength: 1_000,
        default: '',
      },
      top_k: {
        type: 'integer',
        title: 'Passages',
        description: 'How many passages one search returns.',
        minimum: 1,
        maximum: 20,
        default: 5,
      },
      threshold: {
        type: 'number',
        title: 'Minimum similarity',
        description: 'Passages below this similarity are left out.',
        minimum: 0,
        maximum: 1,
        default: 0,
      },
      mode: {
        type: 'string',
        title: 'Search mode',
        description: 'How passages are found. Default: the mode of the knowledge base.',
        enum: [...RETRIEVAL_MODES],
      },
      max_tokens: {
        type: 'integer',
        title: 'Token budget',
        description: 'Estimated tokens of all passages of one search together. Further passages are left out.',
        minimum: 100,
        maximum: 100_000,
        default: DEFAULT_MAX_TOKENS,
      },
    },
    additionalProperties: false,
  },
  parameters: PARAMETERS,
  examples: [
    {
      query: 'What does the course say about the Calvin cycle?',
      parameters: { kb_id: 'course-materials', top_k: 5 },
      expected_result: 'The passages of the course materials about the Calvin cycle, with their sources.',
    },
  ],
  capabilities: ['retrieval', 'question_answering', 'citations'],
  limitations: ['Finds passages, not whole documents.'],
  cost: { unit: 'none', estimate: 0 },
};

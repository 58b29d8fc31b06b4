import { type JsonObject, type Principal, told } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import {
  type Passage,
  QuestionRewriter,
  type Retrieval,
  type RetrievalMode,
  type RetrievalQuery,
  RetrievalService,
  referenceInWords,
  referenceName,
} from '../../knowledge-bases';
import {
  type ConfigGap,
  type Tool,
  type ToolCaching,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../contract';
import {
  type QuestionText,
  type Retriever,
  inLanguageOf,
  questionText,
  retrieveAccessible,
} from './retrieve-accessible';
import {
  COLLECTION_PROPERTIES,
  NO_COLLECTION,
  PASSAGE_PROPERTIES,
  type SearchSettings,
  searchOutputLimit,
  wantsRewriting,
} from './search-settings';
import { type CitedText, type SourcesInPrompt, citedText } from './sources-block';

/** Inputs that a search depends on: the question, the conversation where it is rewritten, and what the knowledge bases hold. */
export const searchCaching = (
  retrieval: Pick<RetrievalService, 'contentVersion' | 'readdress'>,
): ToolCaching<SearchSettings> => ({
  messages: wantsRewriting,
  contentVersion: ({ collections }, { owner }) =>
    collections.length === 0 ? Promise.resolve(null) : retrieval.contentVersion(owner, [...new Set(collections)]),
  renew: (output, { owner, caller: reader, assistantId }) => {
    let { content } = output;
    const sources = output.sources.map((source) => {
      const renewed = retrieval.readdress(source, { owner, reader, assistantId });
      // All links have the same length, so that the offsets of citations stay valid.
      if (source.type === 'knowledge_base' && renewed.type === 'knowledge_base' && source.url !== '')
        content = content.replaceAll(source.url, () => renewed.url);
      return renewed;
    });
    return { ...output, content, sources };
  },
});

export type ModeSearchConfig = SearchSettings;

/** A search in one fixed mode, instead of the knowledge bases' own. */
@Injectable()
export abstract class ModeSearchTool<Config extends ModeSearchConfig = ModeSearchConfig> implements Tool<Config> {
  abstract readonly definition: ToolDefinition;
  readonly caching: ToolCaching<Config>;
  protected abstract readonly mode: RetrievalMode;

  constructor(
    @Inject(RetrievalService) protected readonly retrieval: SearchRetrieval,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {
    this.caching = searchCaching(retrieval);
  }

  async run(config: Config, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    chosenCollections(config);
    const question = await this.question(config, input, context);
    return searchCollections(this.retrieval, { ...config, mode: this.mode }, question, context, (languages) =>
      inLanguageOf(this.rewriter, config, input, context, languages),
    );
  }

  target({ collections }: Config, { owner }: Pick<ToolContext, 'owner'>): Promise<string | null> {
    return this.retrieval.target(owner, collections);
  }

  outputLimit(config: Config): number {
    return searchOutputLimit(config);
  }

  gaps({ collections }: Config, owner: Principal): Promise<readonly ConfigGap[]> {
    return collectionGaps(this.retrieval, { collections, mode: this.mode }, owner);
  }

  protected question(config: Config, input: ToolInput, context: ToolContext): Promise<QuestionText> {
    const collections = chosenCollections(config);
    return questionText(this.rewriter, config, input, context, () =>
      this.retrieval.languages(context.owner, collections),
    );
  }
}

/** Members in which searches differ; the rest of their definitions is the same. */
interface ModeSearch extends Pick<
  ToolDefinition,
  'name' | 'display_name' | 'description' | 'texts' | 'icon' | 'examples' | 'capabilities' | 'limitations' | 'cost'
> {
  /** Settings of its own. */
  readonly properties?: JsonObject;
}

/** Their aliases have hyphens, as other catalogues of tools write them. */
export const modeSearchDefinition = ({ properties = {}, ...own }: ModeSearch): ToolDefinition => ({
  ...own,
  aliases: [own.name.replaceAll('_', '-')],
  placeholder: 'context',
  category: 'search',
  role: 'search',
  material_search: { nothing_found: 'empty' },
  version: '1.0.0',
  kind: 'pipeline',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: { ...COLLECTION_PROPERTIES, ...properties, ...PASSAGE_PROPERTIES },
    required: ['collections'],
    additionalProperties: false,
  },
  parameters: {},
  capabilities: ['retrieval', 'question_answering', 'citations', ...own.capabilities],
});

/** Passages as the model reads them. */
const passageText = (passages: readonly Passage[], style: SourcesInPrompt): CitedText =>
  citedText(
    passages.map(({ text }) => text),
    passages.map(({ source }) => source),
    style,
  );

/** The part of `RetrievalService` that search tools use. */
export type SearchRetrieval = Pick<
  RetrievalService,
  'retrieve' | 'inaccessible' | 'unlisted' | 'unmet' | 'languages' | 'contentVersion' | 'readdress' | 'target'
>;

/** The collections of a config, each once. @throws ToolFailure `tool.config_incomplete` */
export function chosenCollections({ collections }: Pick<SearchSettings, 'collections'>): readonly string[] {
  if (collections.length === 0) throw new ToolFailure('tool.config_incomplete', NO_COLLECTION);
  return [...new Set(collections)];
}

/** The question in the language of the material; null when nothing rewords it. */
export type Reword = (material: readonly string[]) => Promise<QuestionText | null>;

/** Nothing was asked, so nothing is missing. */
const NOTHING_ASKED: ToolOutput = { content: '', sources: [], confidence: null };

/**
 * Finds the passages that answer `question` as prompt text. The confidence is the best similarity. A question in another
 * language than the material is searched for a second time where `reword` words it in that language.
 */
export async function searchCollections(
  retrieval: Retriever,
  settings: SearchSettings,
  question: QuestionText,
  context: ToolContext,
  reword: Reword = () => Promise.resolve(null),
): Promise<ToolOutput> {
  const collections = chosenCollections(settings);
  if (question.isSmallTalk === true) return NOTHING_ASKED;
  const search = ({ text }: QuestionText, more: Pick<RetrievalQuery, 'onSearch'> = {}): Promise<Retrieval> =>
    retrieveAccessible(retrieval, context.owner, { text, collections, ...queryOf(settings, context), ...more });
  const first = await search(question, { onSearch: tellSearch(context) });
  const gap = first.question.languages;
  const translated = gap === null || gap.bridge !== null ? null : await reword(gap.material);
  return translated === null
    ? outputOf(settings, question, first)
    : outputOf(settings, translated, await search(translated));
}

/** Progress text of a search (docs/reference/events.md). */
export const tellSearch =
  ({ progress }: Pick<ToolContext, 'progress'>) =>
  (name: string): void =>
    progress(`querying knowledge base ${name}`);

const queryOf = (
  { top_k: topK, threshold, mode, parent, rerank, max_tokens: maxTokens, sources_in_prompt: style }: SearchSettings,
  { caller, assistantId, signal, remainingMs }: ToolContext,
): Omit<RetrievalQuery, 'text' | 'collections'> => ({
  topK,
  threshold,
  parent,
  maxTokens,
  // Classic assistants list passages by knowledge base. `lamb` keeps that order, so that prompts stay the same.
  grouped: style === 'lamb',
  reader: caller,
  assistantId,
  signal,
  timeoutMs: remainingMs,
  ...(mode === undefined ? {} : { mode }),
  ...(rerank === undefined ? {} : { rerank }),
});

function outputOf({ sources_in_prompt: style }: SearchSettings, question: QuestionText, found: Retrieval): ToolOutput {
  const languages = question.languages ?? found.question.languages;
  return {
    ...passageText(found.passages, style),
    sources: found.passages.map(({ source }) => source),
    confidence: found.passages.reduce((best, { similarity }) => Math.min(1, Math.max(best, similarity)), 0),
    warnings: [...noQuestion(question), ...question.warnings, ...found.warnings],
    query: question.rewritten,
    usage: question.usage ?? null,
    search: told({ ...found.question, languages }),
    saysFit: style !== 'lamb',
  };
}

/** A warning, not a failure: a migrated assistant then fills its prompt like the classic one. */
const noQuestion = ({ text }: QuestionText): readonly string[] =>
  text.trim() === '' ? ['the conversation holds no question to search for'] : [];

/** Missing collections, and collections that cannot be searched in the wanted mode. */
export async function collectionGaps(
  retrieval: Pick<SearchRetrieval, 'inaccessible' | 'unlisted' | 'unmet'>,
  { collections, mode }: Pick<SearchSettings, 'collections' | 'mode'>,
  owner: Principal,
): Promise<readonly ConfigGap[]> {
  if (collections.length === 0) {
    return [{ path: 'collections', code: 'tool.config_incomplete', message: NO_COLLECTION }];
  }
  const missing = new Set(await retrieval.inaccessible(owner, [...collections]));
  const unlisted = new Set(await retrieval.unlisted(owner, collections));
  const unmet = mode === undefined ? new Map<string, string>() : await retrieval.unmet(owner, collections, mode);
  return [...collections.entries()].flatMap(([index, collection]): ConfigGap[] => {
    const path = `collections[${index}]`;
    if (missing.has(collection)) {
      return [{ path, code: 'tool.inaccessible', message: `${referenceInWords(collection)} is not accessible` }];
    }
    const wish = unmet.get(collection);
    const degraded: ConfigGap[] = wish === undefined ? [] : [{ path, code: 'tool.degraded', message: wish }];
    if (!unlisted.has(collection)) return degraded;
    const message = `the organization's list of external collections does not have ${referenceName(collection)}`;
    return [{ path, code: 'collection.unlisted', message }, ...degraded];
  });
}

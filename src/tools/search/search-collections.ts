import { type Principal, told } from '../../kernel';
import {
  referenceInWords,
  referenceName,
  type Retrieval,
  type RetrievalQuery,
  type RetrievalService,
} from '../../knowledge-bases';
import { type ConfigGap, type ToolContext, ToolFailure, type ToolOutput } from '../contract';
import { type QuestionText, type Retriever, retrieveAccessible } from './retrieve-accessible';
import { passageText } from './passage-text';
import { NO_COLLECTION, type SearchSettings } from './search-settings';

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

/** Progress text of a search (spec 000 §3.4.3). */
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

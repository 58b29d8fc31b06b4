import { AppError, type LanguageGap, type Principal, type Usage } from '@bellwether/kernel';
import {
  isFirstQuestion,
  isSmallTalk,
  type QuestionRewriter,
  type QuestionToRewrite,
  referenceInWords,
  type Retrieval,
  type RetrievalQuery,
  type RetrievalService,
} from '../../knowledge-bases';
import { type ToolContext, ToolFailure, type ToolInput } from '../contract';
import { type RewritingSettings, wantsRewriting } from './search-settings';

/** The part of retrieval that tools and processors use. */
export type Retriever = Pick<RetrievalService, 'retrieve' | 'inaccessible'>;

/**
 * Retrieves from the collections that `owner` may read. Deleted and no longer shared ones are skipped with a warning.
 * Rejects with `tool.inaccessible` when none is left.
 */
export async function retrieveAccessible(
  retrieval: Retriever,
  owner: Principal,
  query: RetrievalQuery,
): Promise<Retrieval> {
  let refusal: AppError;
  try {
    return await retrieval.retrieve(owner, query);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    refusal = error;
  }
  const missing = new Set(await retrieval.inaccessible(owner, query.collections));
  // The external server has none of the collections; a retry would give the same answer.
  if (missing.size === 0) throw new ToolFailure('tool.inaccessible', refusal.detail);
  const collections = query.collections.filter((collection) => !missing.has(collection));
  const warnings = [...missing].map((collection) => `${referenceInWords(collection)} is not accessible`);
  if (collections.length === 0) throw new ToolFailure('tool.inaccessible', warnings.join(', '));
  const found = await retrieval.retrieve(owner, { ...query, collections });
  return { ...found, warnings: [...warnings, ...found.warnings] };
}

export interface QuestionText {
  readonly text: string;
  readonly warnings: readonly string[];
  /** The question as it was rewritten, for the report. */
  readonly rewritten: string | null;
  /** Tokens of the model that rewrote it. */
  readonly usage?: Usage | null;
  /** Set when a model worded it in the language of the material. */
  readonly languages?: LanguageGap | null;
  /** A greeting or thanks: nothing is searched for. */
  readonly isSmallTalk?: boolean;
}

type Rewriter = Pick<QuestionRewriter, 'rewrite'>;

/** Languages of the chosen collections. */
export type Material = () => Promise<readonly string[]>;

const asWritten = (text: string): QuestionText => ({ text, warnings: [], rewritten: null });

/** The text to search for: reworded from the conversation where the settings want it, else the last user text. */
export async function questionText(
  rewriter: Rewriter,
  settings: RewritingSettings,
  input: ToolInput,
  context: ToolContext,
  material: Material = () => Promise.resolve([]),
): Promise<QuestionText> {
  const { query } = input;
  if (settings.sources_in_prompt !== 'lamb' && isSmallTalk(query)) return { ...asWritten(query), isSmallTalk: true };
  // The cache key holds the conversation only with rewriting: without it, the result must not depend on it.
  if (!wantsRewriting(settings)) return asWritten(query);
  const isOptional = settings.rewrite_query === undefined;
  if (isOptional && isFirstQuestion(input.messages)) return asWritten(query);
  return reworded(rewriter, input, context, { material: await material(), isOptional });
}

/** The question as a model words it in the language of the material; null when none does. */
export async function inLanguageOf(
  rewriter: Rewriter,
  settings: RewritingSettings,
  input: ToolInput,
  context: ToolContext,
  material: readonly string[],
): Promise<QuestionText | null> {
  if (!wantsRewriting(settings)) return null;
  const question = await reworded(rewriter, input, context, { material, isOptional: true });
  return (question.languages ?? null) === null ? null : question;
}

async function reworded(
  rewriter: Rewriter,
  { messages }: ToolInput,
  { owner: { organizationId }, runId, signal, connector }: ToolContext,
  options: Pick<QuestionToRewrite, 'material' | 'isOptional'>,
): Promise<QuestionText> {
  const asked = await rewriter.rewrite({ organizationId, runId, messages, signal, connector, ...options });
  const { text, warnings, rewritten, languages = null, usage = null } = asked;
  return { text, warnings, rewritten: rewritten ? text : null, languages, usage };
}

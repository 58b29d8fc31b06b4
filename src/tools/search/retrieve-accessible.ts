import { AppError, type Principal, type Usage } from '../../kernel';
import {
  type QuestionRewriter,
  referenceName,
  type Retrieval,
  type RetrievalQuery,
  type RetrievalService,
} from '../../knowledge-bases';
import { type ToolContext, ToolFailure, type ToolInput } from '../contract';

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
  const warnings = [...missing].map((collection) => `knowledge base ${referenceName(collection)} is not accessible`);
  if (collections.length === 0) throw new ToolFailure('tool.inaccessible', warnings.join(', '));
  const found = await retrieval.retrieve(owner, { ...query, collections });
  return { ...found, warnings: [...warnings, ...found.warnings] };
}

export interface QuestionText {
  readonly text: string;
  readonly warnings: readonly string[];
  /** The question as a model rewrote it, for the report. */
  readonly rewritten: string | null;
  /** Tokens of the model that rewrote it. */
  readonly usage?: Usage | null;
}

/** The text to search for: with `rewrite` a model's question for the whole conversation, else the last user text. */
export async function questionText(
  rewriter: Pick<QuestionRewriter, 'rewrite'>,
  rewrite: boolean,
  input: ToolInput,
  { owner, runId, signal, connector }: ToolContext,
): Promise<QuestionText> {
  // The cache key holds the conversation only with `rewrite`: without it, the result must not depend on it.
  if (!rewrite) return { text: input.query, warnings: [], rewritten: null };
  const { messages } = input;
  const { organizationId } = owner;
  const asked = await rewriter.rewrite({ organizationId, runId, messages, signal, connector });
  const { text, warnings, rewritten, usage = null } = asked;
  return { text, warnings, rewritten: rewritten ? text : null, usage };
}

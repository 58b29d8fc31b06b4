import { told } from '@bellwether/kernel';
import type { QuestionRewriter, RetrievalQuery } from '../knowledge-bases';
import {
  citedText,
  questionText,
  retrieveAccessible,
  type Retriever,
  tellSearch,
  type ToolContext,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../tools';
import type { RagSettings } from './contract';

export interface PassageTools {
  readonly retrieval: Retriever;
  /** null: the question is searched unchanged. */
  readonly rewriter: Pick<QuestionRewriter, 'rewrite'> | null;
}

/** Every question is rewritten, greetings included. */
export const AS_LAMB = { rewrite_query: true, sources_in_prompt: 'lamb' } as const;

/** Shared by the three RAG processors over knowledge bases. They differ in the question and in the use of a match. */
export async function collectionPassages(
  { retrieval, rewriter }: PassageTools,
  { collections, topK }: RagSettings,
  input: ToolInput,
  context: ToolContext,
  options: Pick<RetrievalQuery, 'parent' | 'maxTokens'> = {},
): Promise<ToolOutput> {
  if (collections.length === 0) throw new ToolFailure('tool.config_incomplete', 'no knowledge base is chosen');
  const question =
    rewriter === null
      ? { text: input.query, warnings: [], rewritten: null }
      : await questionText(rewriter, AS_LAMB, input, context);
  const { signal, owner, caller, assistantId, remainingMs } = context;
  const {
    passages,
    question: facts,
    warnings,
  } = await retrieveAccessible(retrieval, owner, {
    text: question.text,
    collections,
    topK,
    threshold: 0,
    grouped: true,
    reader: caller,
    assistantId,
    signal,
    timeoutMs: remainingMs,
    onSearch: tellSearch(context),
    ...options,
  });
  const sources = passages.map(({ source }) => source);
  return {
    ...citedText(
      passages.map(({ text }) => text),
      sources,
      'none',
    ),
    sources,
    confidence: null,
    warnings: [...question.warnings, ...warnings],
    query: question.rewritten,
    search: told(facts),
  };
}

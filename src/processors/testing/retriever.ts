import {
  AS_ASKED,
  type Passage,
  type QuestionToRewrite,
  type Retrieval,
  type RetrievalQuery,
  type RewrittenQuestion,
} from '../../knowledge-bases';
import type { Retriever } from '../../tools';

export const passage = (text: string, similarity: number): Passage => ({
  text,
  similarity,
  source: { type: 'knowledge_base', title: text, url: '', similarity, document: null },
  metadata: {},
});

/** Retrieval that finds the same for every question, and remembers what it was asked. */
export function retriever(passages: readonly Passage[]): Retriever & { readonly asked: RetrievalQuery[] } {
  const asked: RetrievalQuery[] = [];
  return {
    asked,
    inaccessible: () => Promise.resolve([]),
    retrieve: (_, query): Promise<Retrieval> => {
      asked.push(query);
      query.collections.forEach((collection) => query.onSearch?.(collection));
      const collections = query.collections.map((collection) => ({ collection, mode: 'keyword' as const }));
      return Promise.resolve({ collections, passages, question: AS_ASKED, warnings: ['one collection is slow'] });
    },
  };
}

/** A rewriter whose question names the run and the number of messages that it received. */
export const rewriter = {
  rewrite: ({ messages, runId }: QuestionToRewrite): Promise<RewrittenQuestion> =>
    Promise.resolve({
      text: `${messages.length} messages of ${runId}`,
      rewritten: true,
      warnings: ['the model is slow'],
    }),
};

import type { RerankDialect } from './rerank-dialect.types';
import { scoredResults } from './scored-results';

/** Cohere API reference, "Rerank" (v2). */
export const COHERE: RerankDialect = {
  name: 'cohere',
  path: 'v2/rerank',
  body: ({ model, question, passages }) => ({
    model: model ?? '',
    query: question,
    documents: [...passages],
    top_n: passages.length,
  }),
  scores: scoredResults,
};

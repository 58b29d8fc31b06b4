import type { RerankDialect } from './rerank-dialect.types';
import { scoredResults } from './scored-results';

/** Jina API reference, "Reranker". vLLM, llama.cpp and LocalAI serve the same form. */
export const JINA: RerankDialect = {
  name: 'jina',
  path: 'v1/rerank',
  body: ({ model, question, passages }) => ({
    model: model ?? '',
    query: question,
    documents: [...passages],
    top_n: passages.length,
    return_documents: false,
  }),
  scores: scoredResults,
};

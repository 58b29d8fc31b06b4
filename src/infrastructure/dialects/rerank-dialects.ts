import { type JsonObject, isJsonObject } from '@bellwether/kernel';

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

/** `{results: [{index, relevance_score}]}`, the form that several vendors share. */
function scoredResults(answer: unknown): readonly RawScore[] | null {
  const results = isJsonObject(answer) ? answer['results'] : null;
  if (!Array.isArray(results)) return null;
  return results.map((each: unknown) => {
    const { index, relevance_score: score } = isJsonObject(each) ? each : {};
    return { index, score };
  });
}

/** Hugging Face text-embeddings-inference, `POST /rerank`. A server has one model, so that requests name none. */
export const TEI: RerankDialect = {
  name: 'tei',
  path: 'rerank',
  body: ({ question, passages }) => ({ query: question, texts: [...passages], truncate: true }),
  scores: (answer) =>
    Array.isArray(answer)
      ? answer.map((each: unknown) => {
          const { index, score } = isJsonObject(each) ? each : {};
          return { index, score };
        })
      : null,
};

export interface RerankRequest {
  readonly model: string | null;
  readonly question: string;
  readonly passages: readonly string[];
}

/** The vendor's judgement of one passage, unchecked. */
export interface RawScore {
  /** Place of the passage in the request, from 0. */
  readonly index: unknown;
  readonly score: unknown;
}

/** The wire format of a vendor that sorts passages by how well they answer a question. */
export interface RerankDialect {
  /** Value of `reranker.dialect` in the settings of an organization. */
  readonly name: string;
  /** Appended to an address that does not end in `/rerank`; its first part is left out where the address ends in it. */
  readonly path: string;
  body(request: RerankRequest): JsonObject;
  /** Null for an answer of another form. */
  scores(answer: unknown): readonly RawScore[] | null;
}

/** One line per dialect. */
export const RERANK_DIALECT_PLUGINS: readonly RerankDialect[] = [COHERE, JINA, TEI];

import { isJsonObject } from '../../kernel';
import type { RerankDialect } from './rerank-dialect.types';

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

import { COHERE, JINA, type RerankDialect, TEI } from './rerank-dialect.types';

export type { RawScore, RerankDialect, RerankRequest } from './rerank-dialect.types';

/** One line per dialect. */
export const RERANK_DIALECT_PLUGINS: readonly RerankDialect[] = [COHERE, JINA, TEI];

import { COHERE } from './cohere.dialect';
import { JINA } from './jina.dialect';
import type { RerankDialect } from './rerank-dialect.types';
import { TEI } from './tei.dialect';

export type { RawScore, RerankDialect, RerankRequest } from './rerank-dialect.types';

/** One line per dialect. */
export const RERANK_DIALECT_PLUGINS: readonly RerankDialect[] = [COHERE, JINA, TEI];

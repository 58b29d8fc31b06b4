import { HIT_ROWS } from './hybrid-fusion';

export interface VectorScope {
  readonly knowledgeBaseId: string;
  /** `vectorIndex` of the knowledge base. */
  readonly index: number;
  /** The question, embedded as that index is, of length 1. */
  readonly vector: readonly number[];
}

export interface VectorSearch {
  readonly organizationId: string;
  readonly scopes: readonly VectorScope[];
  /** Per knowledge base. */
  readonly topK: number;
  readonly threshold: number;
}

/** Names of a statement's parameters (`$1`). */
export interface VectorPlaceholders {
  /** `uuid[]` of knowledge bases, `integer[]` of their vector indexes, `text[]` of the question's vectors, in step. */
  readonly knowledgeBases: string;
  readonly indexes: string;
  readonly vectors: string;
  readonly organization: string;
  /** Passages per knowledge base. */
  readonly topK: string;
}

/** A vector index with an HNSW graph. */
export interface AnnIndex {
  readonly index: number;
  readonly dimensions: number;
}

/** Most dimensions of a pgvector graph with 32-bit and with 16-bit numbers. */
const ANN_FULL = 2_000;
export const ANN_HALF = 4_000;

/** Candidates of a graph search, the most that pgvector takes. Recall@10 is .981, with 120 about .77 (bench/README.md). */
const EF_SEARCH = 1_000;

/** Type of the indexed expression. The column has no fixed dimension, so each graph names its own. */
export const annType = (dimensions: number): string =>
  dimensions <= ANN_FULL ? `vector(${dimensions})` : `halfvec(${dimensions})`;

/** True for chunks of the current generation of their document. */
const IS_CURRENT = `
  (SELECT true FROM kb_documents d WHERE d.generation = near.generation AND d.knowledge_base_id = s.knowledge_base_id)`;

const SIMILARITY = 'least(1, greatest(0, -near.distance))';

/**
 * Compares every vector of the index. The first step checks only the nearest few, which almost always hold `topK` current
 * chunks. Otherwise the second step sorts all vectors and checks them in order. OFFSET 0 keeps PostgreSQL from checking before
 * it sorts.
 */
const exactNear = (topK: string): string => {
  const few = `2 * ${topK}::int + 100`;
  return `
  WITH nearest AS MATERIALIZED (
    SELECT v.chunk_id, v.generation, v.embedding <#> s.vector AS distance
    FROM kb_vectors v WHERE v.index_id = s.index_id
    ORDER BY distance, v.chunk_id LIMIT ${few}
  ), known AS MATERIALIZED (
    SELECT near.chunk_id, near.distance FROM nearest near
    WHERE ${IS_CURRENT}
    ORDER BY near.distance, near.chunk_id LIMIT ${topK}
  ), found AS MATERIALIZED (
    SELECT (SELECT count(*) FROM known) >= ${topK} OR (SELECT count(*) FROM nearest) < ${few} AS enough
  )
  SELECT near.chunk_id, ${SIMILARITY} AS similarity FROM known near WHERE (SELECT enough FROM found)
  UNION ALL
  (SELECT near.chunk_id, ${SIMILARITY}
  FROM (
    SELECT v.chunk_id, v.generation, v.embedding <#> s.vector AS distance
    FROM kb_vectors v WHERE v.index_id = s.index_id AND NOT (SELECT enough FROM found)
    ORDER BY distance, v.chunk_id OFFSET 0
  ) near
  WHERE ${IS_CURRENT}
  ORDER BY near.distance, near.chunk_id
  LIMIT ${topK})`;
};

/** Each graph holds one index, so no filter drops hits. The iterative scan continues until `topK` current chunks are found. */
const graphNear = ({ index, dimensions }: AnnIndex, topK: string): string => {
  const type = annType(dimensions);
  return `
  SELECT near.chunk_id, ${SIMILARITY} AS similarity
  FROM (
    SELECT v.chunk_id, v.generation, v.embedding <#> s.vector AS distance
    FROM kb_vectors v WHERE v.index_id = ${index}
    ORDER BY v.embedding::${type} <#> s.vector::${type} OFFSET 0
  ) near
  WHERE ${IS_CURRENT}
  LIMIT ${topK}`;
};

/**
 * SELECT of `knowledge_base_id, chunk_id, similarity`: the nearest current chunks of each knowledge base, for a CTE.
 *
 * Vectors have length 1, so the inner product is the cosine. The similarity is max(0, cos). A knowledge base of another
 * organization has no hits.
 */
export function vectorHits(at: VectorPlaceholders, graphs: readonly AnnIndex[] = []): string {
  const known = graphs.map(({ index }) => whole(index)).join(', ');
  const branches = graphs.map(
    (graph) => `
    UNION ALL
    SELECT s.knowledge_base_id, hit.chunk_id, hit.similarity
    FROM (SELECT * FROM scope WHERE index_id = ${whole(graph.index)} OFFSET 0) s
    CROSS JOIN LATERAL (${graphNear(graph, at.topK)}) hit`,
  );
  // The settings hold for the transaction of the statement. Reading them here sets them before the first scan.
  const settings =
    graphs.length === 0
      ? ''
      : `CROSS JOIN (SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '${EF_SEARCH}', true) OFFSET 0) AS settings`;
  return `
    WITH scope AS MATERIALIZED (
      SELECT kb.id AS knowledge_base_id, q.index_id, q.vector::vector AS vector
      FROM unnest(${at.knowledgeBases}::uuid[], ${at.indexes}::integer[], ${at.vectors}::text[]) AS q (id, index_id, vector)
      JOIN knowledge_bases kb ON kb.id = q.id AND kb.organization_id = ${at.organization} AND kb.deleted_at IS NULL
      ${settings}
    )
    SELECT s.knowledge_base_id, hit.chunk_id, hit.similarity
    FROM ${known === '' ? 'scope s' : `(SELECT * FROM scope WHERE index_id NOT IN (${known}) OFFSET 0) s`}
    CROSS JOIN LATERAL (${exactNear(at.topK)}) hit
    ${branches.join('')}`;
}

/** Guards numbers that become part of the SQL text. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError('Not an index');
  return value;
}

/**
 * Parameters: knowledge base ids, their vector indexes, the question's vector for each (`[0.1,…]`), organization, passages
 * per knowledge base, least similarity. Rows are `Hit`s, best first.
 */
export const vectorQuery = (graphs: readonly AnnIndex[] = []): string => `
  WITH hit AS (
    SELECT near.*, NULL::float8 AS strength, NULL::text[] AS unknown
    FROM (${vectorHits(
      { knowledgeBases: '$1', indexes: '$2', vectors: '$3', organization: '$4', topK: '$5' },
      graphs,
    )}) near
  )${HIT_ROWS}`;

/** pgvector's text form, with the precision of 32 bits. */
export const vectorText = (vector: readonly number[]): string =>
  `[${vector.map((value) => Number(value.toPrecision(8))).join(',')}]`;

/** Parameters of `vectorQuery`. */
export const vectorParameters = ({ organizationId, scopes, topK, threshold }: VectorSearch): readonly unknown[] => [
  scopes.map(({ knowledgeBaseId }) => knowledgeBaseId),
  scopes.map(({ index }) => index),
  scopes.map(({ vector }) => vectorText(vector)),
  organizationId,
  topK,
  threshold,
];

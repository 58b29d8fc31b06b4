/** Placeholders of a statement (`$1`) for what a vector search asks. */
export interface VectorPlaceholders {
  /** `uuid[]` of knowledge bases, `integer[]` of their vector indexes, `text[]` of the question's vectors, in step. */
  readonly knowledgeBases: string;
  readonly indexes: string;
  readonly vectors: string;
  readonly organization: string;
  /** Passages per knowledge base. */
  readonly topK: string;
}

/** A vector index that an HNSW graph was built for. */
export interface AnnIndex {
  readonly index: number;
  readonly dimensions: number;
}

/** pgvector builds graphs over at most so many dimensions of 32 bits, and of 16 bits. */
const ANN_FULL = 2_000;
export const ANN_HALF = 4_000;

/** Candidates that a graph search keeps in view: recall for time. */
const EF_SEARCH = 120;

/** The indexed expression: a column without a fixed dimension needs one of its own per graph. */
export const annType = (dimensions: number): string =>
  dimensions <= ANN_FULL ? `vector(${dimensions})` : `halfvec(${dimensions})`;

/** Only the generation of a document that is in force answers; looked at in order of distance, until enough are found. */
const IN_FORCE = `
  (SELECT true FROM kb_documents d WHERE d.generation = near.generation AND d.knowledge_base_id = s.knowledge_base_id)`;

const SIMILARITY = 'least(1, greatest(0, -near.distance))';

/**
 * Every vector of the index is compared: nothing is missed. The nearest few are kept in order and almost always hold enough in
 * force; where a document's old chunks fill them, all are put in order. OFFSET 0 keeps sort and check apart there, so that few
 * are checked.
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
    WHERE ${IN_FORCE}
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
  WHERE ${IN_FORCE}
  ORDER BY near.distance, near.chunk_id
  LIMIT ${topK})`;
};

/** The graph holds this index alone, so it cannot lose hits to a filter on others; the iterative scan goes on until `topK` are in force. */
const graphNear = ({ index, dimensions }: AnnIndex, topK: string): string => {
  const type = annType(dimensions);
  return `
  SELECT near.chunk_id, ${SIMILARITY} AS similarity
  FROM (
    SELECT v.chunk_id, v.generation, v.embedding <#> s.vector AS distance
    FROM kb_vectors v WHERE v.index_id = ${index}
    ORDER BY v.embedding::${type} <#> s.vector::${type} OFFSET 0
  ) near
  WHERE ${IN_FORCE}
  LIMIT ${topK}`;
};

/**
 * SELECT of `knowledge_base_id, chunk_id, similarity`: the nearest chunks of each knowledge base, for a CTE.
 *
 * Vectors are of length 1, so the inner product is the cosine; the similarity is that cosine, with 0 for what points away:
 * max(0, cos). A knowledge base of another organization gives nothing, and neither does a chunk that is not in force.
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
  // Settings made by a statement hold for its own transaction; reading them here makes them hold before the first scan.
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

/** Numbers that are written into a statement come from the database; this keeps it so. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError('Not an index');
  return value;
}

/**
 * Parameters: knowledge base ids, their vector indexes, the question's vector for each (`[0.1,…]`), organization, passages
 * per knowledge base, least similarity. Best first over all of them; gives the columns of `Hit`.
 */
export const vectorQuery = (graphs: readonly AnnIndex[] = []): string => `
  WITH hit AS (${vectorHits(
    { knowledgeBases: '$1', indexes: '$2', vectors: '$3', organization: '$4', topK: '$5' },
    graphs,
  )})
  SELECT hit.chunk_id, hit.knowledge_base_id, c.document_id, c.generation, d.filename, d.title, c.text,
    c.table_header, c.section, c.page, c.page_end, c.ordinal, d.chunk_count, c.start_offset, c.end_offset,
    c.section_start, c.section_end, hit.similarity
  FROM hit
  JOIN kb_chunks c ON c.id = hit.chunk_id
  JOIN kb_documents d ON d.id = c.document_id
  WHERE hit.similarity >= $6
  ORDER BY hit.similarity DESC, hit.chunk_id`;

/** Without graphs: the statement of the embedded database. */
export const VECTOR_QUERY = vectorQuery();

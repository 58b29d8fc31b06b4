import { B, BLOCK, K1 } from './bm25-query';
import { termsOf } from './searchable-text';

/** Chunks that one transaction adds or removes. On the embedded engine, all other queries wait for the transaction. */
export const INDEX_BATCH = 16;

/** Row lock of the knowledge base: one writer of its counts at a time, so uploads and deletions do not deadlock. */
export const LOCK = `
  SELECT language, language_chosen AS chosen, deleted_at IS NOT NULL AS deleted FROM knowledge_bases WHERE id = $1 AND organization_id = $2 FOR UPDATE`;

/**
 * Adds a batch of chunks, with their terms, document frequencies, postings and totals, in one statement.
 *
 * The impact of a posting is its BM25 score at the current mean length. Impacts only choose candidates, so they stay valid
 * when the mean changes.
 */
export const ADD_CHUNKS = `
  WITH input AS MATERIALIZED (
    SELECT i.*, ${termsOf('$5::text', 'i.search_text')} AS terms
    FROM unnest($6::int[], $7::int[], $8::int[], $9::text[], $10::text[], $11::text[], $12::int[], $13::int[], $14::int[], $15::int[], $16::text[])
      AS i (ordinal, start_offset, end_offset, section, text, search_text, page, page_end, section_start, section_end,
        table_header)
  ), chunk AS (
    INSERT INTO kb_chunks
      (organization_id, knowledge_base_id, document_id, generation, ordinal, start_offset, end_offset, section, text,
       page, page_end, section_start, section_end, table_header, length)
    SELECT $1, $2, $3, $4, ordinal, start_offset, end_offset, section, text, page, page_end, section_start, section_end,
      table_header, (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(terms) w)
    FROM input
    RETURNING id, ordinal, length
  ), total AS MATERIALIZED (
    SELECT kb.chunk_count + added.chunks AS chunks, kb.token_count + added.words AS words
    FROM knowledge_bases kb
    CROSS JOIN (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS words FROM chunk) added
    WHERE kb.id = $2
  ), mean AS MATERIALIZED (
    SELECT greatest(words::float8 / greatest(chunks, 1), 1) AS length FROM total
  ), word AS MATERIALIZED (
    SELECT chunk.id AS chunk_id, w.lexeme AS term, n.tf,
      round(65535 / (1 + (${K1 * (1 - B)} + ${K1 * B} * chunk.length / mean.length) / n.tf))::int AS impact
    FROM chunk JOIN input USING (ordinal) CROSS JOIN mean CROSS JOIN LATERAL unnest(input.terms) w
    CROSS JOIN LATERAL (SELECT least(cardinality(w.positions), 255) AS tf) n
  ), counted AS MATERIALIZED (
    SELECT term, count(*)::int AS chunks, array_agg((chunk_id << 16) | impact ORDER BY chunk_id) AS postings
    FROM word GROUP BY term
  ), known AS MATERIALIZED (
    SELECT t.id, counted.term, counted.chunks, t.recent || counted.postings AS postings
    FROM counted CROSS JOIN LATERAL (
      SELECT id, recent FROM kb_terms WHERE knowledge_base_id = $2 AND kb_terms.term = counted.term OFFSET 0
    ) t
  ), raised AS (
    UPDATE kb_terms t
    SET df = t.df + known.chunks, recent = CASE WHEN cardinality(known.postings) < ${BLOCK} THEN known.postings ELSE '{}' END
    FROM known WHERE t.id = known.id
  ), blocked AS (
    INSERT INTO kb_posting_blocks (term_id, last_chunk, first_chunk, peak, postings)
    SELECT known.id, max(p >> 16), min(p >> 16), max(p & 65535), array_agg(p ORDER BY p & 65535 DESC, p)
    FROM known CROSS JOIN LATERAL unnest(known.postings) p
    WHERE cardinality(known.postings) >= ${BLOCK}
    GROUP BY known.id
  ), added AS (
    INSERT INTO kb_terms (knowledge_base_id, term, df, recent)
    SELECT $2, term, chunks, postings FROM counted WHERE NOT EXISTS (SELECT FROM known WHERE known.term = counted.term)
    RETURNING id, term
  ), term AS (
    SELECT id, term FROM known UNION ALL SELECT id, term FROM added
  ), described AS (
    INSERT INTO kb_chunk_terms (chunk_id, document_id, generation, length, terms)
    SELECT chunk.id, $3, $4, chunk.length, coalesce(own.terms, '{}')
    FROM chunk LEFT JOIN (
      SELECT word.chunk_id, array_agg((term.id::bigint << 8) | word.tf ORDER BY term.id) AS terms
      FROM word JOIN term USING (term) GROUP BY word.chunk_id
    ) own ON own.chunk_id = chunk.id
  )
  UPDATE knowledge_bases SET chunk_count = total.chunks, token_count = total.words FROM total WHERE id = $2`;

/** Reverses `ADD_CHUNKS` for at most `INDEX_BATCH` chunks of a document: of the generation `$3`, or of all when it is null. */
export const REMOVE_CHUNKS = `
  WITH gone AS (
    DELETE FROM kb_chunks WHERE id IN (
      SELECT id FROM kb_chunks
      WHERE document_id = $1 AND knowledge_base_id = $2
        AND ($3::uuid IS NULL OR generation = $3::uuid)
      ORDER BY id LIMIT ${INDEX_BATCH}
    ) RETURNING id, length
  ), forgotten AS (
    DELETE FROM kb_chunk_terms f USING gone WHERE f.chunk_id = gone.id RETURNING f.chunk_id, f.terms
  ), counted AS MATERIALIZED (
    SELECT (w >> 8)::int AS term_id, count(*)::int AS chunks, array_agg(chunk_id) AS list,
      min(chunk_id) AS first_chunk, max(chunk_id) AS last_chunk
    FROM forgotten CROSS JOIN LATERAL unnest(forgotten.terms) w GROUP BY 1
  ), lowered AS (
    UPDATE kb_terms t
    SET df = t.df - counted.chunks,
        recent = ARRAY(SELECT p FROM unnest(t.recent) WITH ORDINALITY r (p, place) WHERE p >> 16 <> ALL (counted.list) ORDER BY place)
    FROM counted WHERE t.id = counted.term_id AND t.df > counted.chunks
  ), unused AS (
    DELETE FROM kb_terms t USING counted WHERE t.id = counted.term_id AND t.df <= counted.chunks
  ), part AS MATERIALIZED (
    SELECT b.term_id, b.last_chunk, b.first_chunk,
      ARRAY(SELECT p FROM unnest(b.postings) WITH ORDINALITY r (p, place) WHERE p >> 16 <> ALL (counted.list) ORDER BY place) AS postings
    FROM counted CROSS JOIN LATERAL (
      SELECT * FROM kb_posting_blocks
      WHERE term_id = counted.term_id AND last_chunk >= counted.first_chunk AND first_chunk <= counted.last_chunk OFFSET 0
    ) b
  ), thinned AS (
    UPDATE kb_posting_blocks b SET postings = part.postings FROM part
    WHERE b.term_id = part.term_id AND b.last_chunk = part.last_chunk AND b.first_chunk = part.first_chunk
      AND cardinality(part.postings) > 0
  ), emptied AS (
    DELETE FROM kb_posting_blocks b USING part
    WHERE b.term_id = part.term_id AND b.last_chunk = part.last_chunk AND b.first_chunk = part.first_chunk
      AND cardinality(part.postings) = 0
  ), total AS (
    UPDATE knowledge_bases
    SET chunk_count = chunk_count - (SELECT count(*) FROM gone),
        token_count = token_count - (SELECT coalesce(sum(length), 0) FROM gone)
    WHERE id = $2
  )
  SELECT count(*)::int AS removed FROM gone`;

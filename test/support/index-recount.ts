import type { DataSource } from 'typeorm';

/** How many postings, document frequencies, knowledge bases and chunks say something else than a recount of the chunks' terms. */
export async function indexErrors(dataSource: DataSource): Promise<Record<string, number>> {
  const [off] = await dataSource.query<Record<string, number>[]>(`
    WITH word AS (
      SELECT c.knowledge_base_id, f.chunk_id, (w >> 8)::int AS term_id, (w & 255)::int AS tf, f.length
      FROM kb_chunk_terms f JOIN kb_chunks c ON c.id = f.chunk_id CROSS JOIN LATERAL unnest(f.terms) w
    ), stored AS (
      SELECT t.knowledge_base_id, p >> 16 AS chunk_id, t.id AS term_id FROM kb_terms t CROSS JOIN LATERAL unnest(t.recent) p
      UNION ALL
      SELECT t.knowledge_base_id, p >> 16, b.term_id FROM kb_posting_blocks b LEFT JOIN kb_terms t ON t.id = b.term_id
      CROSS JOIN LATERAL unnest(b.postings) p WHERE p >> 16 BETWEEN b.first_chunk AND b.last_chunk
    ), df AS (
      SELECT knowledge_base_id, term_id, count(*)::int AS df FROM word GROUP BY 1, 2
    ), total AS (
      SELECT kb.id, count(c.id)::int AS chunks, coalesce(sum(c.length), 0)::bigint AS tokens
      FROM knowledge_bases kb LEFT JOIN kb_chunks c ON c.knowledge_base_id = kb.id GROUP BY kb.id
    )
    SELECT
      (SELECT count(*)::int FROM (
        (SELECT knowledge_base_id, chunk_id, term_id FROM word EXCEPT ALL TABLE stored)
        UNION ALL (TABLE stored EXCEPT ALL SELECT knowledge_base_id, chunk_id, term_id FROM word)) d) AS postings,
      (SELECT count(*)::int FROM (
        (SELECT knowledge_base_id, id, df FROM kb_terms EXCEPT TABLE df)
        UNION ALL (TABLE df EXCEPT SELECT knowledge_base_id, id, df FROM kb_terms)) d) AS terms,
      (SELECT count(*)::int FROM total JOIN knowledge_bases kb USING (id)
        WHERE kb.chunk_count <> total.chunks OR kb.token_count <> total.tokens) AS bases,
      (SELECT count(*)::int FROM kb_chunks c FULL JOIN kb_chunk_terms f ON f.chunk_id = c.id
        LEFT JOIN LATERAL (SELECT coalesce(sum(w & 255), 0) AS words FROM unnest(f.terms) w) s ON true
        WHERE c.id IS NULL OR f.chunk_id IS NULL OR s.words <> c.length OR f.length <> c.length
          OR f.document_id <> c.document_id OR f.generation <> c.generation) AS chunks`);
  return off ?? {};
}

export const NO_ERRORS = { postings: 0, terms: 0, bases: 0, chunks: 0 };

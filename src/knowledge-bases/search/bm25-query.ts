/** BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): saturation of term frequency, weight of length. */
const K1 = 1;
const B = 0.75;

/** Rarest terms of a query that are searched; what is beyond them hardly moves a ranking. */
const QUERY_TERMS = 64;
/**
 * Postings of one knowledge base that are walked through for a question, rarest terms first. Commoner terms only add to the
 * score of the candidates found so far: a passage that has none of the rare words does not win on the common ones.
 */
const WALKED_POSTINGS = 8_000;
const CANDIDATES = 200;

/** A posting's part of the similarity; `t` is its term, `p` the posting. */
const PART = 't.weight * p.tf / (p.tf + total.flat + total.per_word * p.length)';

/**
 * Parameters: knowledge base ids, their text-search configurations, organization, folded question, passages per knowledge
 * base, least similarity.
 *
 * Document frequencies are added up over the knowledge bases asked, so that passages of several compare. The similarity is
 * the score's share of the most that any passage could reach for this question (every term, endlessly often): 0..1, in the
 * order of the scores. OFFSET 0 keeps each term a walk along its own postings, whatever the planner has no statistics of.
 */
export const BM25_QUERY = `
  WITH scope AS (
    SELECT kb.id, s.configuration, kb.chunk_count, kb.token_count
    FROM unnest($1::uuid[], $2::text[]) AS s (id, configuration)
    JOIN knowledge_bases kb ON kb.id = s.id AND kb.organization_id = $3
  ), total AS (
    SELECT chunks, ${K1 * (1 - B)}::float8 AS flat, ${K1 * B}::float8 / greatest(tokens / greatest(chunks, 1), 1) AS per_word
    FROM (SELECT sum(chunk_count)::float8 AS chunks, sum(token_count)::float8 AS tokens FROM scope) s
  ), word AS (
    SELECT c.configuration, w.lexeme AS term
    FROM (SELECT DISTINCT configuration FROM scope) c CROSS JOIN LATERAL unnest(to_tsvector(c.configuration::regconfig, $4)) w
  ), weighed AS (
    SELECT word.configuration, word.term,
      ln(1 + (total.chunks - f.df + 0.5) / (f.df + 0.5)) AS idf
    FROM word CROSS JOIN total CROSS JOIN LATERAL (
      SELECT coalesce(sum(t.df), 0)::float8 AS df FROM scope
      JOIN kb_terms t ON t.knowledge_base_id = scope.id AND t.term = word.term
      WHERE scope.configuration = word.configuration
    ) f
  ), chosen AS (
    SELECT configuration, term, idf / sum(idf) OVER (PARTITION BY configuration) AS weight
    FROM (
      SELECT weighed.*, row_number() OVER (PARTITION BY configuration ORDER BY idf DESC, term) AS place FROM weighed
    ) w
    WHERE place <= ${QUERY_TERMS}
  ), hit AS (
    SELECT scope.id AS knowledge_base_id, best.chunk_id, best.similarity
    FROM scope CROSS JOIN total CROSS JOIN LATERAL (
      WITH t AS MATERIALIZED (
        SELECT kt.id, chosen.weight,
          sum(kt.df) OVER rarest <= ${WALKED_POSTINGS} OR row_number() OVER rarest = 1 AS walked
        FROM chosen JOIN kb_terms kt ON kt.knowledge_base_id = scope.id AND kt.term = chosen.term
        WHERE chosen.configuration = scope.configuration
        WINDOW rarest AS (ORDER BY kt.df, kt.id)
      ), candidate AS MATERIALIZED (
        SELECT p.chunk_id, sum(${PART}) AS similarity
        FROM (SELECT id, weight FROM t WHERE walked OFFSET 0) t
        CROSS JOIN LATERAL (SELECT chunk_id, tf, length FROM kb_postings WHERE term_id = t.id OFFSET 0) p
        GROUP BY p.chunk_id
        ORDER BY similarity DESC, p.chunk_id
        LIMIT greatest(${CANDIDATES}, 4 * $5::int)
      )
      SELECT candidate.chunk_id, candidate.similarity + coalesce(more.similarity, 0) AS similarity
      FROM candidate
      JOIN kb_chunks c ON c.id = candidate.chunk_id
      JOIN kb_documents d ON d.id = c.document_id AND d.generation = c.generation
      CROSS JOIN LATERAL (
        SELECT sum(${PART}) AS similarity
        FROM (SELECT id, weight FROM t WHERE NOT walked OFFSET 0) t
        CROSS JOIN LATERAL (
          SELECT tf, length FROM kb_postings WHERE term_id = t.id AND chunk_id = candidate.chunk_id OFFSET 0
        ) p
      ) more
      ORDER BY 2 DESC, 1
      LIMIT $5
    ) best
  )
  SELECT hit.chunk_id, hit.knowledge_base_id, c.document_id, c.generation, d.filename, d.title, c.text, c.section,
    c.page, c.page_end, c.ordinal, d.chunk_count, c.start_offset, c.end_offset, c.section_start, c.section_end,
    hit.similarity
  FROM hit
  JOIN kb_chunks c ON c.id = hit.chunk_id
  JOIN kb_documents d ON d.id = c.document_id
  WHERE hit.similarity >= $6
  ORDER BY hit.similarity DESC, hit.chunk_id`;

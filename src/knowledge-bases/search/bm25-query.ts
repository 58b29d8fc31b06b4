import { HIT_ROWS } from './hit-rows';
import { termsOf } from './terms';

/** BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): term frequency saturation, length weight. */
export const K1 = 1;
export const B = 0.75;

/** Only the rarest known terms of a query are searched. Further terms hardly change a ranking. */
const QUERY_TERMS = 64;
/**
 * Budget of postings read for a question, rarest terms first, divided among the knowledge bases. A term beyond the budget gives
 * the postings with the highest impact of each block. More common terms only add to the score of candidates found so far.
 */
const READ_POSTINGS = 4_000;
const LEAST_READ = 1_000;
/** Size at which a block of postings is written. Removals make it smaller later. */
export const BLOCK = 128;
/** Least number of postings read of a block. With fewer, many blocks would be read for little. */
const LEAST_OF_BLOCK = 16;
/** Candidates that get their exact score. */
const CANDIDATES = 100;

/**
 * Parameters: knowledge base ids, their text-search configurations, organization, folded question, passages per knowledge
 * base, least similarity.
 *
 * Document frequencies are summed over the knowledge bases, so that their passages compare. A term weighs its idf times its
 * frequency in the question (`qtf`). The similarity is the score divided by the limit that it approaches when a passage
 * repeats every term: 0..1. It is exact for each returned passage. The choice of passages is exact while the terms have at
 * most `READ_POSTINGS` postings and `CANDIDATES` chunks. OFFSET 0 makes the planner use an index scan without statistics.
 *
 * Sums of impacts are `real` and keys `integer` because the embedded engine has 32 bits and allocates each wider value. A
 * chunk id has up to 47 bits and is grouped as two keys.
 */
export const BM25_QUERY = `
  WITH scope AS MATERIALIZED (
    SELECT kb.id, s.configuration, kb.chunk_count, kb.token_count
    FROM unnest($1::uuid[], $2::text[]) AS s (id, configuration)
    JOIN knowledge_bases kb ON kb.id = s.id AND kb.organization_id = $3 AND kb.deleted_at IS NULL
  ), total AS MATERIALIZED (
    SELECT chunks, ${K1 * (1 - B)}::float8 AS flat, ${K1 * B}::float8 / greatest(tokens / greatest(chunks, 1), 1) AS per_word,
      greatest(${READ_POSTINGS} / greatest(bases, 1), ${LEAST_READ}) AS budget
    FROM (
      SELECT sum(chunk_count)::float8 AS chunks, sum(token_count)::float8 AS tokens, count(*) AS bases FROM scope
    ) s
  ), word AS (
    SELECT c.configuration, w.lexeme AS term, cardinality(w.positions) AS qtf
    FROM (SELECT DISTINCT configuration FROM scope) c
    CROSS JOIN LATERAL unnest(${termsOf('c.configuration', '$4')}) w
  ), known AS MATERIALIZED (
    SELECT scope.id AS knowledge_base_id, word.configuration, word.term, word.qtf, t.id, coalesce(t.df, 0) AS df, t.recent
    FROM word JOIN scope ON scope.configuration = word.configuration
    LEFT JOIN LATERAL (
      SELECT kt.id, kt.df, kt.recent FROM kb_terms kt WHERE kt.knowledge_base_id = scope.id AND kt.term = word.term OFFSET 0
    ) t ON true
  ), chosen AS MATERIALIZED (
    SELECT configuration, term, share / sum(share) OVER (PARTITION BY configuration) AS weight
    FROM (
      SELECT f.configuration, f.term, f.qtf * ln(1 + (total.chunks - f.df + 0.5) / (f.df + 0.5)) AS share,
        row_number() OVER (PARTITION BY f.configuration ORDER BY f.df = 0, f.df, f.term) AS place
      FROM (
        SELECT configuration, term, qtf, sum(df)::float8 AS df FROM known GROUP BY configuration, term, qtf
      ) f CROSS JOIN total
    ) w
    WHERE place <= ${QUERY_TERMS}
  ), hit AS (
    SELECT scope.id AS knowledge_base_id, best.chunk_id, best.similarity
    FROM scope CROSS JOIN total CROSS JOIN LATERAL (
      WITH t AS MATERIALIZED (
        SELECT *, least(${BLOCK}, greatest(${LEAST_OF_BLOCK}, ceil(${BLOCK} * allowed / df)))::int AS head
        FROM (
          SELECT known.id, known.df, known.recent, chosen.weight, (known.id::bigint << 8) | 255 AS highest,
            (total.budget - (sum(known.df) OVER (ORDER BY known.df, known.id) - known.df))::float8 AS allowed
          FROM known JOIN chosen ON chosen.configuration = known.configuration AND chosen.term = known.term
          WHERE known.knowledge_base_id = scope.id AND known.id IS NOT NULL
        ) k
      ), candidate AS MATERIALIZED (
        SELECT (high::bigint << 31) | low AS chunk_id
        FROM (
          SELECT (p >> 47)::int AS high, ((p >> 16) & 2147483647)::int AS low, sum(weight * (p & 65535)::int::real) AS impact
          FROM (
            SELECT weight, unnest(postings) AS p
            FROM (
              SELECT weight::real, recent AS postings FROM t WHERE allowed > 0
              UNION ALL
              SELECT t.weight::real, CASE WHEN t.head = ${BLOCK} THEN b.postings ELSE b.postings[1:t.head] END
              FROM t CROSS JOIN LATERAL (
                SELECT postings FROM kb_posting_blocks WHERE term_id = t.id
                ORDER BY peak DESC LIMIT ceil(greatest(t.allowed, 0) / t.head)
              ) b
              OFFSET 0
            ) list
          ) posting
          GROUP BY 1, 2
          ORDER BY 3 DESC, 1, 2
          LIMIT greatest(${CANDIDATES}, 4 * $5::int)
        ) best
      )
      SELECT ranked.chunk_id, ranked.similarity
      FROM (
        SELECT f.chunk_id, scored.similarity, f.document_id, f.generation
        FROM candidate
        CROSS JOIN LATERAL (SELECT * FROM kb_chunk_terms WHERE chunk_id = candidate.chunk_id OFFSET 0) f
        CROSS JOIN LATERAL (
          SELECT sum(weight / (1 + (total.flat + total.per_word * f.length) / (found & 255))) AS similarity
          FROM (SELECT t.id, t.weight, f.terms[width_bucket(t.highest, f.terms)] AS found FROM t) t
          WHERE found >> 8 = id
        ) scored
        ORDER BY 2 DESC, 1
      ) ranked
      CROSS JOIN LATERAL (SELECT generation FROM kb_documents WHERE id = ranked.document_id OFFSET 0) d
      WHERE d.generation = ranked.generation
      ORDER BY 2 DESC, 1
      LIMIT $5
    ) best
  )${HIT_ROWS}`;

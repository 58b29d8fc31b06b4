import { HIT_ROWS } from './hybrid-fusion';
import { termsOf } from './searchable-text';

/** BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009): term frequency saturation, length weight. */
export const K1 = 1;
export const B = 0.75;

/** Only the rarest known terms of a query are searched. Further terms hardly change a ranking. */
export const QUERY_TERMS = 64;
/** Terms that the match strength looks at, rarest first: with all of them it would fall with the length of a question. */
export const STRENGTH_TERMS = 6;
/**
 * Budget of postings read for a question, rarest terms first, divided among the knowledge bases. A term beyond the budget gives
 * the postings with the highest impact of each block. More common terms only add to the score of candidates found so far.
 */
const READ_POSTINGS = 2_000;
const LEAST_READ = 1_000;
/** Size at which a block of postings is written. Removals make it smaller later. */
export const BLOCK = 128;
/** Least number of postings read of a block. With fewer, many blocks would be read for little. */
const LEAST_OF_BLOCK = 16;
/** Candidates that get their exact score. */
const CANDIDATES = 100;

/** Least length of a stem that only the stemmer of another language gives: it cuts "install" to "inst", as it does "instant". */
const FOREIGN_STEM = 5;

/**
 * The words of each row of `wording`, as stems with their frequency in it. A word of another language than the passages keeps
 * its own stem where theirs is short: it then counts as unknown, instead of finding words that only look alike.
 */
export const WORDS = `
    SELECT q.number, s.term, sum(cardinality(w.positions))::int AS qtf
    FROM wording q CROSS JOIN LATERAL unnest(${termsOf('q.configuration', 'q.text')}) w
    CROSS JOIN LATERAL (
      SELECT w.lexeme AS term WHERE q.spoken = q.configuration
      UNION ALL
      SELECT CASE WHEN bool_or(own.lexeme = w.lexeme) OR length(w.lexeme) >= ${FOREIGN_STEM} THEN w.lexeme ELSE min(own.lexeme) END
      FROM unnest(${termsOf('q.spoken', 'q.text')}) own
      WHERE q.spoken <> q.configuration AND own.positions && w.positions
      HAVING count(*) > 0
    ) s
    GROUP BY q.number, s.term`;

/**
 * Parameters: knowledge base ids, the wording that each is asked in (from 1), organization, text-search configurations of the
 * wordings, passages per knowledge base, least similarity, the wordings, configurations of the languages they are written in.
 *
 * A knowledge base of several languages is asked in several wordings; a passage keeps its best similarity. A wording in
 * another language than its passages loses the stop words of its own.
 *
 * Document frequencies are summed over the knowledge bases, so that their passages compare. A term weighs its idf times its
 * frequency in the question (`qtf`). The similarity is the score divided by the limit that it approaches when a passage
 * repeats every term: 0..1. The match strength is the same for the rarest terms alone, unknown ones included: they weigh as
 * much as a term of one passage, so that a small knowledge base is no worse a match. Both are exact
 * for each returned passage. The choice of passages is exact while the terms have at most `READ_POSTINGS` postings and
 * `CANDIDATES` chunks. OFFSET 0 makes the planner use an index scan without statistics.
 *
 * Sums of impacts are `real` and keys `integer` because the embedded engine has 32 bits and allocates each wider value. A
 * chunk id has up to 47 bits and is grouped as two keys.
 */
export const BM25_QUERY = `
  WITH wording AS MATERIALIZED (
    SELECT q.configuration, q.text, q.spoken, q.number
    FROM unnest($4::text[], $7::text[], $8::text[]) WITH ORDINALITY AS q (configuration, text, spoken, number)
  ), scope AS MATERIALIZED (
    SELECT kb.id, s.number, kb.chunk_count, kb.token_count
    FROM unnest($1::uuid[], $2::int[]) AS s (id, number)
    JOIN knowledge_bases kb ON kb.id = s.id AND kb.organization_id = $3 AND kb.deleted_at IS NULL
  ), total AS MATERIALIZED (
    SELECT chunks, ${K1 * (1 - B)}::float8 AS flat, ${K1 * B}::float8 / greatest(tokens / greatest(chunks, 1), 1) AS per_word,
      greatest(${READ_POSTINGS} / greatest((SELECT count(*) FROM scope), 1), ${LEAST_READ}) AS budget
    FROM (
      SELECT sum(chunk_count)::float8 AS chunks, sum(token_count)::float8 AS tokens
      FROM (SELECT DISTINCT id, chunk_count, token_count FROM scope) kb
    ) s
  ), word AS (${WORDS}
  ), known AS MATERIALIZED (
    SELECT scope.id AS knowledge_base_id, word.number, word.term, word.qtf, t.id, coalesce(t.df, 0) AS df, t.recent
    FROM word JOIN scope ON scope.number = word.number
    LEFT JOIN LATERAL (
      SELECT kt.id, kt.df, kt.recent FROM kb_terms kt WHERE kt.knowledge_base_id = scope.id AND kt.term = word.term OFFSET 0
    ) t ON true
  ), rated AS MATERIALIZED (
    SELECT *, rare_idf / greatest(sum(rare_idf) OVER (PARTITION BY number), 1e-9) AS rare
    FROM (
      SELECT w.*, CASE WHEN rarity <= ${STRENGTH_TERMS} THEN idf_in_one ELSE 0 END AS rare_idf
      FROM (
        SELECT f.*, ln(1 + (total.chunks - f.df + 0.5) / (f.df + 0.5)) AS idf,
          ln(1 + (total.chunks - greatest(f.df, 1) + 0.5) / (greatest(f.df, 1) + 0.5)) AS idf_in_one,
          row_number() OVER (PARTITION BY f.number ORDER BY f.df = 0, f.df, f.term COLLATE "C") AS place,
          row_number() OVER (PARTITION BY f.number ORDER BY f.df, f.term COLLATE "C") AS rarity
        FROM (
          SELECT number, term, qtf, sum(df)::float8 AS df FROM known GROUP BY number, term, qtf
        ) f CROSS JOIN total
      ) w
    ) r
  ), chosen AS MATERIALIZED (
    SELECT number, term, rare, qtf * idf / sum(qtf * idf) OVER (PARTITION BY number) AS weight
    FROM rated WHERE place <= ${QUERY_TERMS}
  ), unknown AS MATERIALIZED (
    SELECT array_agg(term ORDER BY term COLLATE "C") AS terms FROM rated
    WHERE number = 1 AND df = 0 AND term NOT IN (SELECT term FROM known WHERE df > 0)
  ), found AS (
    SELECT scope.id AS knowledge_base_id, best.chunk_id, best.similarity, best.strength
    FROM scope CROSS JOIN total CROSS JOIN LATERAL (
      WITH t AS MATERIALIZED (
        SELECT *, least(${BLOCK}, greatest(${LEAST_OF_BLOCK}, ceil(${BLOCK} * allowed / df)))::int AS head
        FROM (
          SELECT known.id, known.df, known.recent, chosen.weight, chosen.rare, (known.id::bigint << 8) | 255 AS highest,
            (total.budget - (sum(known.df) OVER (ORDER BY known.df, known.id) - known.df))::float8 AS allowed
          FROM known JOIN chosen ON chosen.number = known.number AND chosen.term = known.term
          WHERE known.knowledge_base_id = scope.id AND known.number = scope.number AND known.id IS NOT NULL
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
      SELECT ranked.chunk_id, ranked.similarity, ranked.strength
      FROM (
        SELECT f.chunk_id, scored.similarity, scored.strength, f.document_id, f.generation
        FROM candidate
        CROSS JOIN LATERAL (SELECT * FROM kb_chunk_terms WHERE chunk_id = candidate.chunk_id OFFSET 0) f
        CROSS JOIN LATERAL (
          SELECT sum(weight * part) AS similarity, sum(rare * part) AS strength
          FROM (
            SELECT weight, rare, 1 / (1 + (total.flat + total.per_word * f.length) / (found & 255)) AS part
            FROM (SELECT t.id, t.weight, t.rare, f.terms[width_bucket(t.highest, f.terms)] AS found FROM t) t
            WHERE found >> 8 = id
            OFFSET 0
          ) p
        ) scored
        ORDER BY 2 DESC, 1
      ) ranked
      CROSS JOIN LATERAL (SELECT generation FROM kb_documents WHERE id = ranked.document_id OFFSET 0) d
      WHERE d.generation = ranked.generation
      ORDER BY 2 DESC, 1
      LIMIT $5
    ) best
  ), hit AS (
    SELECT knowledge_base_id, chunk_id, max(similarity) AS similarity, max(strength) AS strength,
      (SELECT terms FROM unknown) AS unknown
    FROM found GROUP BY 1, 2
  )${HIT_ROWS}`;

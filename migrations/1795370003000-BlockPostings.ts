import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Postings as sorted arrays instead of a row each: the newest of a term stand in the term's own row (`recent`), 128 and
 * more of them move to a block. `kb_chunk_terms` is the same the other way round, and what a chunk is scored and removed by.
 * A posting is `chunk << 16 | impact`, a chunk's term `term << 8 | frequency`; see docs/adr/0007-keyword-index.md.
 */
export class BlockPostings1795370003000 implements MigrationInterface {
  readonly name = 'BlockPostings1795370003000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kb_posting_blocks (
        term_id integer NOT NULL,
        last_chunk bigint NOT NULL,
        first_chunk bigint NOT NULL,
        peak integer NOT NULL,
        postings bigint[] NOT NULL,
        CONSTRAINT kb_posting_blocks_pk PRIMARY KEY (term_id, last_chunk, first_chunk)
      )`);
    await queryRunner.query(`CREATE INDEX kb_posting_blocks_peak_idx ON kb_posting_blocks (term_id, peak DESC)`);
    await queryRunner.query(`
      CREATE TABLE kb_chunk_terms (
        chunk_id bigint CONSTRAINT kb_chunk_terms_pk PRIMARY KEY,
        document_id uuid NOT NULL,
        generation uuid NOT NULL,
        length integer NOT NULL,
        terms bigint[] NOT NULL
      )`);
    await queryRunner.query(`ALTER TABLE kb_terms ADD COLUMN recent bigint[] NOT NULL DEFAULT '{}'`);
    // Room on every page for the next version of its rows, which then needs no vacuum to be forgotten.
    await queryRunner.query(`ALTER TABLE kb_terms SET (fillfactor = 60)`);
    for (const { id } of (await queryRunner.query('SELECT id FROM knowledge_bases')) as { id: string }[]) {
      for (const statement of BACKFILL) await queryRunner.query(statement, [id]);
    }
    await queryRunner.query(`ALTER TABLE kb_chunks DROP COLUMN terms`);
    await queryRunner.query(`DROP TABLE kb_postings`);
    // Their words are told apart better from now on: they are taken in again, and answer as they are until then.
    await queryRunner.query(`
      UPDATE kb_documents d SET status = 'pending', attempts = 0 FROM knowledge_bases kb
      WHERE kb.id = d.knowledge_base_id AND d.status = 'completed' AND kb.language NOT IN ('en', 'nl', 'ru', 'simple')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kb_postings (
        chunk_id bigint NOT NULL,
        term_id integer NOT NULL,
        tf smallint NOT NULL,
        length smallint NOT NULL,
        CONSTRAINT kb_postings_pk PRIMARY KEY (term_id, chunk_id) INCLUDE (tf, length)
      )`);
    await queryRunner.query(`ALTER TABLE kb_chunks ADD COLUMN terms tsvector`);
    await queryRunner.query(`
      INSERT INTO kb_postings (chunk_id, term_id, tf, length)
      SELECT f.chunk_id, w >> 8, w & 255, least(f.length, 32767) FROM kb_chunk_terms f CROSS JOIN LATERAL unnest(f.terms) w`);
    // Positions were never asked for; their number is.
    await queryRunner.query(`
      UPDATE kb_chunks c SET terms = coalesce(
        (SELECT string_agg(quote_literal(t.term) || ':' || places.list, ' ')
          FROM kb_chunk_terms f CROSS JOIN LATERAL unnest(f.terms) w JOIN kb_terms t ON t.id = w >> 8
          CROSS JOIN LATERAL (SELECT string_agg(n::text, ',') AS list FROM generate_series(1, w & 255) n) places
          WHERE f.chunk_id = c.id)::tsvector, ''::tsvector)`);
    await queryRunner.query(`ALTER TABLE kb_chunks ALTER COLUMN terms SET NOT NULL`);
    await queryRunner.query(`ALTER TABLE kb_terms DROP COLUMN recent`);
    await queryRunner.query(`ALTER TABLE kb_terms RESET (fillfactor)`);
    await queryRunner.query(`DROP TABLE kb_chunk_terms`);
    await queryRunner.query(`DROP TABLE kb_posting_blocks`);
  }
}

/** Full blocks of 128 in the order of the chunks; what is left over is recent. Parameter: the knowledge base. */
const BACKFILL = [
  `INSERT INTO kb_chunk_terms (chunk_id, document_id, generation, length, terms)
   SELECT c.id, c.document_id, c.generation, c.length, coalesce(
     (SELECT array_agg((p.term_id::bigint << 8) | least(p.tf, 255) ORDER BY p.term_id)
      FROM unnest(c.terms) w JOIN kb_terms t ON t.knowledge_base_id = c.knowledge_base_id AND t.term = w.lexeme
      JOIN kb_postings p ON p.term_id = t.id AND p.chunk_id = c.id), '{}')
   FROM kb_chunks c WHERE c.knowledge_base_id = $1`,
  `WITH posting AS (
     SELECT p.term_id, p.chunk_id, row_number() OVER by_chunk - 1 AS place, count(*) OVER (PARTITION BY p.term_id) AS postings,
       round(65535 / (1 + (0.25 + 0.75 * p.length / greatest(kb.token_count::float8 / greatest(kb.chunk_count, 1), 1)) / p.tf))::integer AS impact
     FROM knowledge_bases kb JOIN kb_terms t ON t.knowledge_base_id = kb.id JOIN kb_postings p ON p.term_id = t.id
     WHERE kb.id = $1 WINDOW by_chunk AS (PARTITION BY p.term_id ORDER BY p.chunk_id)
   ), part AS (
     SELECT term_id, place / 128 AS number, (place / 128 + 1) * 128 <= postings AS is_full, min(chunk_id) AS first_chunk,
       max(chunk_id) AS last_chunk, max(impact) AS peak, array_agg((chunk_id << 16) | impact ORDER BY chunk_id) AS list
     FROM posting GROUP BY term_id, place / 128, (place / 128 + 1) * 128 <= postings
   ), block AS (
     INSERT INTO kb_posting_blocks (term_id, last_chunk, first_chunk, peak, postings)
     SELECT term_id, last_chunk, first_chunk, peak, list FROM part WHERE is_full
   )
   UPDATE kb_terms t SET recent = part.list FROM part WHERE t.id = part.term_id AND NOT part.is_full`,
];

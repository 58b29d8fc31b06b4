import { uuidv7 } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { searchStatement } from '../../../src/knowledge-bases/search/hybrid-query';
import { PassageRepository } from '../../../src/knowledge-bases/search/passage.repository';
import { migrate, revertLast } from '../../../src/infrastructure/database';
import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { indexErrors, NO_ERRORS } from '../../support/index-recount';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

const BLOCK_POSTINGS = 1795370003000;
const stampOf = ({ name }: { name: string }): number => Number(/\d{13}$/.exec(name)?.[0]);
const before = migrations.filter((each) => stampOf(each) < BLOCK_POSTINGS);
const organizationId = uuidv7();
const TEXTS = Array.from({ length: 300 }, (_, n) => `water ${n % 2 ? 'cell cell' : 'light'} word${n % 50} only${n}`);

let scratch: ScratchDatabase;
const open: DataSource[] = [];
const connect = async (list: typeof migrations): Promise<DataSource> => {
  const dataSource = await createDataSource({ url: scratch.url, poolSize: 2, migrations: list }).initialize();
  open.push(dataSource);
  await migrate(dataSource);
  return dataSource;
};
beforeAll(async () => {
  scratch = await createScratchDatabase();
});
afterAll(async () => {
  for (const dataSource of open) await dataSource.destroy();
  await scratch.drop();
});

/** A knowledge base with an index of a row per posting, as it was. */
async function oldIndex(dataSource: DataSource, language: string): Promise<string> {
  const [id, document, user] = [uuidv7(), uuidv7(), uuidv7()];
  await dataSource.query(`INSERT INTO users (id, email) VALUES ($1, $1::uuid::text)`, [user]);
  await dataSource.query(
    `INSERT INTO knowledge_bases (id, organization_id, owner_id, slug, name, language, chunk_size, chunk_overlap)
     VALUES ($1, $2, $3, $1::uuid::text, 'K', $4, 2000, 0)`,
    [id, organizationId, user, language],
  );
  await dataSource.query(
    `INSERT INTO kb_documents (id, organization_id, knowledge_base_id, filename, content_type, size, sha256, storage_name, status, generation)
     VALUES ($1, $2, $3, 'f', 'text/plain', 1, '', '', 'completed', $1)`,
    [document, organizationId, id],
  );
  await dataSource.query(
    `INSERT INTO kb_chunks (organization_id, knowledge_base_id, document_id, generation, ordinal, start_offset, end_offset,
       section, text, section_start, section_end, terms, length)
     SELECT $1, $2, $3, $3, place, 0, 1, '', text, 0, 1, v, (SELECT sum(cardinality(positions)) FROM unnest(v))
     FROM unnest($4::text[]) WITH ORDINALITY t (text, place) CROSS JOIN LATERAL to_tsvector('simple', text) v`,
    [organizationId, id, document, TEXTS],
  );
  await dataSource.query(
    `INSERT INTO kb_terms (knowledge_base_id, term, df)
     SELECT $1, lexeme, count(*) FROM kb_chunks CROSS JOIN LATERAL unnest(terms) WHERE knowledge_base_id = $1 GROUP BY lexeme`,
    [id],
  );
  await dataSource.query(
    `INSERT INTO kb_postings (chunk_id, term_id, tf, length)
     SELECT c.id, t.id, cardinality(w.positions), c.length FROM kb_chunks c CROSS JOIN LATERAL unnest(c.terms) w
     JOIN kb_terms t ON t.knowledge_base_id = c.knowledge_base_id AND t.term = w.lexeme WHERE c.knowledge_base_id = $1`,
    [id],
  );
  await dataSource.query(
    `UPDATE knowledge_bases SET (chunk_count, token_count) =
       (SELECT count(*), sum(length) FROM kb_chunks WHERE knowledge_base_id = $1) WHERE id = $1`,
    [id],
  );
  return id;
}

it('carries an index over and back, and takes in again what it can now tell apart better', async () => {
  const old = await connect(before);
  await old.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, 'o', 'O')`, [organizationId]);
  const kb = await oldIndex(old, 'simple');
  await oldIndex(old, 'es');
  const postings = 'SELECT chunk_id, term_id, tf, length FROM kb_postings ORDER BY 1, 2';
  const was = await old.query<unknown[]>(postings);

  const now = await connect(migrations.filter((each) => stampOf(each) <= BLOCK_POSTINGS));
  expect(await indexErrors(now)).toEqual(NO_ERRORS);
  expect(await now.query('SELECT count(*)::int AS n FROM kb_posting_blocks')).toEqual([{ n: 2 * (2 + 1 + 1) }]);
  expect(
    await now.query(
      'SELECT language, status FROM kb_documents d JOIN knowledge_bases kb ON kb.id = d.knowledge_base_id',
    ),
  ).toEqual(
    expect.arrayContaining([
      { language: 'simple', status: 'completed' },
      { language: 'es', status: 'pending' },
    ]),
  );

  await revertLast(now);
  expect(await now.query<unknown[]>(postings)).toEqual(was);
  expect(
    await now.query(`SELECT count(*)::int AS n FROM kb_chunks
      WHERE cardinality(tsvector_to_array(terms)) <> (SELECT count(*) FROM kb_postings WHERE chunk_id = kb_chunks.id)`),
  ).toEqual([{ n: 0 }]);

  const latest = await connect(migrations);
  const hits = await new PassageRepository(latest).search(
    searchStatement([[kb], [1], organizationId, ['simple'], 3, 0, ['only7 word7'], ['simple']], null),
  );
  expect(hits[0]?.text).toBe(TEXTS[7]);
});

import type { DataSource } from 'typeorm';
import { PERSON_TABLES } from '../../src/privacy/catalogue/person-tables';
import { COLUMNS_WITHOUT_PEOPLE, TABLES_WITHOUT_PEOPLE } from '../../src/privacy/catalogue/without-people';
import { openTestDatabase } from '../support/database';

let db: DataSource;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.destroy());

const listed = new Map(PERSON_TABLES.map((entry) => [entry.table, entry]));
/** Made where vectors are available, or by a test. */
const OPTIONAL = new Set(['kb_vectors']);

describe('the list of tables with personal data', () => {
  it('names every table of the database once', async () => {
    const rows = await db.query<{ name: string }[]>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
    );
    const names = rows.map(({ name }) => name).filter((name) => !/^kb_vectors/.test(name));
    const known = [...listed.keys(), ...Object.keys(TABLES_WITHOUT_PEOPLE)].filter((name) => !OPTIONAL.has(name));
    expect(known.sort()).toEqual(names.sort());
  });

  it('names every column that refers to a person', async () => {
    const rows = await db.query<{ name: string }[]>(`
      SELECT DISTINCT c.relname || '.' || a.attname AS name
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND (
        a.attname ~ '(^|_)(user|users|owner|author|actor|caller|member|person|people|email|subject|subjects|ip|created_by|requested_by|invited_by|heir|phone|claims)(_|$)'
        OR EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY(k.conkey)
                   AND k.confrelid IN ('users'::regclass, 'members'::regclass) AND a.attname <> 'organization_id'))`);
    const isListed = (name: string): boolean => {
      const [table = '', column = ''] = name.split('.');
      return COLUMNS_WITHOUT_PEOPLE.has(name) || listed.get(table)?.columns.includes(column) === true;
    };
    expect(rows.map(({ name }) => name).filter((name) => !isListed(name))).toEqual([]);
  });

  it('can read, count and order the rows of every table', async () => {
    const nobody = ['00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000001'];
    for (const { table, rows, key } of PERSON_TABLES) {
      const sql = `SELECT ${key} AS key, to_jsonb(t) FROM ${table} t WHERE ${rows} ORDER BY 1`;
      expect([table, await db.query(sql, nobody)]).toEqual([table, []]);
    }
  });
});

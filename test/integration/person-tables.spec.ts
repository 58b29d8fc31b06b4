import type { DataSource } from 'typeorm';
import {
  COLUMNS_WITHOUT_PEOPLE,
  PersonRowsRepository,
  TABLES_WITHOUT_PEOPLE,
} from '../../src/privacy/person-rows.repository';
import type { RunLines } from '../../src/runs';
import { PERSON_TABLES } from '../../src/privacy/person-tables';
import { EXPORTED_COLUMNS } from '../../src/privacy/organization/exported-tables';
import { OrganizationExportRepository } from '../../src/privacy/organization/organization-export.repository';
import { openTestDatabase } from '../support/database';
import { fillTables } from '../support/filled-tables';

let db: DataSource;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.destroy());

const listed = new Map(PERSON_TABLES.map((entry) => [entry.table, entry]));
const nil = '00000000-0000-0000-0000-000000000000';
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
    const nobody = {
      organizationId: '00000000-0000-4000-8000-000000000000',
      userId: '00000000-0000-4000-8000-000000000001',
    };
    const rows = new PersonRowsRepository(db, {} as RunLines);
    for (const entry of PERSON_TABLES) {
      expect([entry.table, await rows.count(entry, nobody)]).toEqual([entry.table, 0]);
      expect([entry.table, await rows.page(entry, nobody, null, 10)]).toEqual([entry.table, []]);
    }
  });

  it('exports no secret, no name of another person and no work under way', () => {
    const never =
      /hash|mac$|token$|secret|claim(ed_until)?$|lease|storage_name|caller|actor|_by$|heir|owner|author|organization_id/;
    const always = (columns: readonly string[]) => columns.filter((column) => !column.startsWith('CASE WHEN'));
    const found = PERSON_TABLES.flatMap(({ table, exported }) =>
      (typeof exported === 'string' ? [] : always(exported ?? []))
        .map((column) => column.replace(/^.* AS /s, ''))
        .filter((name) => never.test(name) || ['before', 'after', 'ip', 'recording', 'report'].includes(name))
        .map((name) => `${table}.${name}`),
    );
    expect(found).toEqual([]);
  });

  it('lets no hash, key or work under way leave with an organization', () => {
    const never = /hash|mac$|token$|secret|claim(ed_until)?$|lease|storage_name|worker|system_admin/;
    const found = [...EXPORTED_COLUMNS].flatMap(([table, columns]) =>
      columns.filter((column) => never.test(column)).map((column) => `${table}.${column}`),
    );
    expect(found).toEqual([]);
  });

  it('keeps a new column to itself until somebody lists it', async () => {
    const runner = db.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query('SET LOCAL session_replication_role = replica');
      const organizations = new OrganizationExportRepository(runner as unknown as DataSource);
      const exported = await organizations.tables();
      for (const table of new Set([...PERSON_TABLES, ...exported].map((each) => each.table))) {
        await runner.query(`ALTER TABLE ${table} ADD COLUMN undecided text DEFAULT 'undecided'`);
      }
      await fillTables(runner as unknown as DataSource, 1);
      await runner.query(`UPDATE conversation_messages SET sources = '[]'`);
      const rows = new PersonRowsRepository(runner as unknown as DataSource, {} as RunLines);
      const nobody = { organizationId: nil, userId: nil };
      for (const entry of PERSON_TABLES) {
        const every = { ...entry, rows: '$1::uuid = $2::uuid' };
        const page = await rows.page(every, nobody, null, 10);
        expect([entry.table, page.length > 0, JSON.stringify(page).includes('undecided')]).toEqual([
          entry.table,
          true,
          false,
        ]);
      }
      for (const entry of exported) {
        const every = { ...entry, condition: '$1::uuid IS NOT NULL' };
        const page = await organizations.page(every, nil, null, 10);
        expect([entry.table, page.length > 0, JSON.stringify(page).includes('undecided')]).toEqual([
          entry.table,
          true,
          false,
        ]);
      }
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });
});

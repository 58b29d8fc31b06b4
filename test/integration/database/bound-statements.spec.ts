import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { queryPrepared } from '../../../src/infrastructure/database';
import {
  acrossOrganizations,
  openDatabase,
  type OpenDatabase,
  protectedTables,
  withinOrganization,
  withoutOrganization,
} from '../../../src/infrastructure/postgres';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../../support/database';
import { fillTables } from '../../support/filled-tables';

describe('statements of the service', () => {
  let owner: DataSource;
  let bound: OpenDatabase;
  let service: DataSource;
  let own: string;
  let foreign: string;
  let tables: readonly string[];

  beforeAll(async () => {
    owner = await openTestDatabase();
    await resetDatabase(owner);
    await fillTables(owner);
    const config = { url: testDatabaseUrl(), dataDir: '', poolSize: 3 };
    bound = await openDatabase(config, { migrations, schema: 'skip', bound: true });
    service = bound.dataSource;
    const rows = await owner.query<{ id: string }[]>('SELECT id FROM organizations ORDER BY id LIMIT 1');
    foreign = rows[0]?.id ?? '';
    own = '01900000-0000-7000-8000-0000000000ff';
    await owner.query(`INSERT INTO organizations (id, slug, name, settings) VALUES ($1, 'own', 'Own', '{}')`, [own]);
    tables = await protectedTables(owner);
  });
  afterAll(async () => {
    await bound.close();
    await resetDatabase(owner);
    await owner.destroy();
  });

  const countIn = async (table: string, source = service): Promise<number> => {
    const [row] = await source.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${table}`);
    return row?.count ?? -1;
  };

  it('without any condition see no row of another organization, in any table', async () => {
    const filled: string[] = [];
    for (const table of tables) {
      if (table === 'organizations') continue;
      if ((await countIn(table, owner)) > 0) filled.push(table);
      expect([table, await withinOrganization(own, () => countIn(table))]).toEqual([table, 0]);
    }
    expect(filled.length).toBeGreaterThan(30);
    expect(await withinOrganization(own, () => service.query('SELECT slug FROM organizations'))).toEqual([
      { slug: 'own' },
    ]);
  });

  it('see the rows of their own organization', async () => {
    const seen: string[] = [];
    for (const table of tables) if ((await withinOrganization(foreign, () => countIn(table))) > 0) seen.push(table);
    expect(seen).toEqual(
      expect.arrayContaining(['organizations', 'members', 'users', 'assistants', 'kb_chunks', 'runs']),
    );
  });

  it('without any condition change and delete no row of another organization', async () => {
    for (const table of tables) {
      if (['organizations', 'audit_entries'].includes(table)) continue;
      const before = await countIn(table, owner);
      const [{ column }] = await owner.query<[{ column: string }]>(
        `SELECT attname AS column FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
           AND attidentity = '' AND attgenerated = '' LIMIT 1`,
        [table],
      );
      const change = `UPDATE ${table} SET "${column}" = "${column}"`;
      if (table === 'users') {
        // People belong to no organization: its role may read them and nothing else.
        for (const statement of [change, `DELETE FROM ${table}`]) {
          await expect(withinOrganization(own, () => service.query(statement))).rejects.toThrow('permission denied');
        }
        continue;
      }
      const [, changed] = await withinOrganization(own, () => service.query<[unknown, number]>(change));
      const [, deleted] = await withinOrganization(own, () => service.query<[unknown, number]>(`DELETE FROM ${table}`));
      expect([table, changed, deleted]).toEqual([table, 0, 0]);
      expect([table, await countIn(table, owner)]).toEqual([table, before]);
    }
  });

  it('cannot put a row into another organization', async () => {
    const insert = `INSERT INTO rubrics SELECT (jsonb_populate_record(NULL::rubrics, to_jsonb(r) || jsonb_build_object(
        'id', gen_random_uuid(), 'organization_id', $1::text, 'origin_id', NULL, 'origin_key', NULL))).* FROM rubrics r`;
    await expect(withinOrganization(foreign, () => service.query(insert, [own]))).rejects.toThrow(
      'violates row-level security policy',
    );
  });

  it('see no row without an organization, and say so in the log', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    expect(await withoutOrganization(() => countIn('assistants'))).toBe(0);
    expect(errors).toHaveBeenCalledWith(expect.objectContaining({ tables: ['assistants'] }));
    errors.mockRestore();
  });

  it('keep their organization side by side on few connections, prepared or not', async () => {
    const prepared = 'SELECT count(*)::int AS count FROM assistants WHERE id > $1';
    const all = await withinOrganization(foreign, () => countIn('assistants'));
    expect(all).toBeGreaterThan(0);
    await Promise.all(
      Array.from({ length: 90 }, async (_, n) => {
        const organization = n % 2 === 0 ? own : foreign;
        const expected = n % 2 === 0 ? 0 : all;
        await withinOrganization(organization, async () => {
          expect(await countIn('assistants')).toBe(expected);
          expect(await queryPrepared(service, prepared, [0])).toEqual([{ count: expected }]);
          await service.transaction(async (tx) => {
            expect(await tx.query('SELECT count(*)::int AS count FROM assistants')).toEqual([{ count: expected }]);
          });
        });
      }),
    );
  });

  it('get the reach back that they had before work across organizations and before a savepoint', async () => {
    const all = await countIn('assistants', owner);
    await withinOrganization(own, () =>
      service.transaction(async (tx) => {
        const seen = async (): Promise<unknown> => tx.query('SELECT count(*)::int AS count FROM assistants');
        expect(await seen()).toEqual([{ count: 0 }]);
        expect(await acrossOrganizations('jobs', seen)).toEqual([{ count: all }]);
        expect(await seen()).toEqual([{ count: 0 }]);
        const undone = tx.transaction(async () => {
          await acrossOrganizations('jobs', seen);
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        expect(await seen()).toEqual([{ count: 0 }]);
      }),
    );
  });
});

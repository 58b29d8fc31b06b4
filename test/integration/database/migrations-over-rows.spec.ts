import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { migrate, type MigrationClass, revertLast } from '../../../src/infrastructure/database';
import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { fillTables } from '../../support/filled-tables';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

// No entities in this file: every step opens data sources, and putting entities together takes longer than the step.
const stampOf = ({ name }: { name: string }): number => Number(/\d{13}$/.exec(name)?.[0]);

/** A digest of the values of every column, under its table, name and type. */
const contents = async (dataSource: DataSource): Promise<Map<string, string>> => {
  const columns = await dataSource.query<{ key: string; sql: string }[]>(`
    SELECT format('%s.%s %s', table_name, column_name, udt_name) AS key,
      format('SELECT md5(coalesce(string_agg(%1$I::text, E''\\n'' ORDER BY %1$I::text), count(*)::text)) FROM %2$I', column_name, table_name) AS sql
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations' ORDER BY 1`);
  if (columns.length === 0) return new Map();
  const digests = columns.map(({ sql }) => `(${sql})`).join(', ');
  const [row] = await dataSource.query<[{ digests: string[] }]>(`SELECT ARRAY[${digests}] AS digests`);
  return new Map(columns.map(({ key }, at) => [key, row.digests[at] ?? '']));
};
/** Of one state what the other has, too. */
const kept = (state: Map<string, string>, other: Map<string, string>): [string, string][] =>
  [...state].filter(([key]) => other.has(key));
const structure = (dataSource: DataSource): Promise<unknown[]> =>
  dataSource.query(`
    SELECT table_name::text AS owner, column_name::text AS name, udt_name::text AS what, is_nullable::text, column_default
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT tablename::text, indexname::text, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid), '', ''
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    ORDER BY 1, 2, 3`);

/** Older migrations do not change any more. For all of them: MIGRATIONS=all npx jest --runTestsByPath <this file> */
const NEWEST = process.env.MIGRATIONS === 'all' ? migrations.length : 12;

describe('migrations over rows', () => {
  let scratch: ScratchDatabase;
  const opened: DataSource[] = [];

  const connect = async (list: readonly MigrationClass[]): Promise<DataSource> => {
    const dataSource = createDataSource({ url: scratch.url, poolSize: 1, migrations: list });
    opened.push(await dataSource.initialize());
    return dataSource;
  };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    scratch = await createScratchDatabase();
  });
  afterAll(async () => {
    for (const dataSource of opened) await dataSource.destroy();
    await scratch.drop();
  });

  it('can each be taken back over rows and applied again to the same effect, and leave the rows of others alone', async () => {
    const stepwise = [...migrations].sort((one, other) => stampOf(one) - stampOf(other));
    const oldest = stepwise.length - NEWEST;
    let upTo = await connect(stepwise);
    await migrate(upTo);
    for (let count = stepwise.length; count > oldest; count -= 1) {
      await fillTables(upTo);
      const [full, made] = [await contents(upTo), await structure(upTo)];
      await revertLast(upTo);
      const without = await contents(upTo);
      expect(kept(full, without)).toEqual(kept(without, full));
      await migrate(upTo);
      expect(await structure(upTo)).toEqual(made);
      const again = await contents(upTo);
      expect(kept(without, again)).toEqual(kept(again, without));
      await fillTables(upTo);
      expect(await revertLast(upTo)).toBe(stepwise[count - 1]?.name);
      upTo = await connect(stepwise.slice(0, count - 1));
    }
    await fillTables(upTo);
    for (let count = oldest; count > 0; count -= 1) await revertLast(upTo);
    expect((await contents(upTo)).size).toBe(0);
  }, 240_000);
});

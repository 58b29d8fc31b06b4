import { Logger } from '@nestjs/common';
import { join } from 'node:path';
import { type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import {
  isUsable,
  migrate,
  type MigrationClass,
  openDatabase,
  schemaStatus,
} from '../../../src/infrastructure/database';
import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { sourceFiles } from '../../support/source-files';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';

const ROOT = join(__dirname, '../../..');

/**
 * Foreign keys between modules and check constraints are for the database alone: entities do not know them, and TypeORM
 * would drop what it does not know. Hence their names.
 */
const STRICTER = /DROP CONSTRAINT "\w+_(?:fk|ck)"$/;

class CreateProbe9990000000000 implements MigrationInterface {
  name = 'CreateProbe9990000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // Slow enough for another replica to arrive meanwhile.
    await queryRunner.query('SELECT pg_sleep(0.3)');
    await queryRunner.query('CREATE TABLE probe (n int)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE probe');
  }
}

class ContractProbe9990000000002 implements MigrationInterface {
  name = 'ContractProbe9990000000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE probe DROP COLUMN n');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE probe ADD COLUMN n int');
  }
}

class Broken9990000000001 implements MigrationInterface {
  name = 'Broken9990000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE half_made (n int)');
    await queryRunner.query('SELECT nope');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

describe('migrations', () => {
  let scratch: ScratchDatabase;
  const opened: DataSource[] = [];

  const connect = async (list: readonly MigrationClass[]): Promise<DataSource> => {
    const dataSource = createDataSource({ url: scratch.url, poolSize: 3, migrations: list });
    opened.push(await dataSource.initialize());
    return dataSource;
  };
  const tables = async (dataSource: DataSource): Promise<string[]> =>
    (
      await dataSource.query<{ name: string }[]>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
      )
    ).map(({ name }) => name);
  beforeAll(async () => {
    Logger.overrideLogger(false);
    const entities = sourceFiles(/\.entity\.ts$/);
    for (const file of entities) await import(join(ROOT, file));
    scratch = await createScratchDatabase();
  });
  beforeEach(async () => {
    await (await connect([])).query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });
  afterEach(async () => {
    for (const dataSource of opened.splice(0)) await dataSource.destroy();
  });
  afterAll(() => scratch.drop());

  it('make exactly the tables that the entities describe', async () => {
    const dataSource = await connect(migrations);
    await migrate(dataSource);
    expect(dataSource.entityMetadatas.length).toBeGreaterThan(0);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query).filter((query) => !STRICTER.test(query))).toEqual([]);
  });

  it('are applied once when two replicas start at the same time', async () => {
    const replicas = [await connect([CreateProbe9990000000000]), await connect([CreateProbe9990000000000])];
    if (process.env.TEST_DATABASE_URL) {
      const applied = await Promise.all(replicas.map((replica) => migrate(replica)));
      expect(applied.map((names) => names.length).sort()).toEqual([0, 1]);
    } else {
      // There the directory's lock keeps a second server away; one after the other is what can happen.
      for (const replica of replicas) await migrate(replica);
    }
    const [first] = replicas;
    expect(await first?.query('SELECT count(*)::int AS n FROM migrations')).toEqual([{ n: 1 }]);
  });

  it('that fail leave nothing behind, and those before them in place', async () => {
    const dataSource = await connect([CreateProbe9990000000000, Broken9990000000001]);
    await expect(migrate(dataSource)).rejects.toThrow('nope');
    expect(await tables(dataSource)).toEqual(['migrations', 'probe']);
    expect(await schemaStatus(dataSource)).toEqual({
      applied: ['CreateProbe9990000000000'],
      pending: ['Broken9990000000001'],
      unknown: [],
      contracted: [],
    });
    // The lock is free again.
    await expect(migrate(dataSource)).rejects.toThrow('nope');
  });

  it('tell a server that its schema is missing or older, and let it serve where newer builds only added', async () => {
    const usable = async (dataSource: DataSource): Promise<boolean> => isUsable(await schemaStatus(dataSource));
    const [old, current] = [await connect([]), await connect([CreateProbe9990000000000])];
    const newest = await connect([CreateProbe9990000000000, ContractProbe9990000000002]);
    expect([await usable(old), await usable(current)]).toEqual([true, false]);
    const config = { url: scratch.url, dataDir: '/nowhere', poolSize: 1 };
    const open = async (list: readonly MigrationClass[]): Promise<void> => {
      for (const schema of ['check', 'migrate'] as const) {
        await (await openDatabase(config, { migrations: list, schema })).close();
      }
    };
    await expect(open([CreateProbe9990000000000])).rejects.toThrow(
      'older than this build, by 1 migration. Run db:migrate, or start the service once.',
    );
    await migrate(current);
    expect([await usable(old), await usable(current), await usable(newest)]).toEqual([true, true, false]);
    for (const list of [[], [CreateProbe9990000000000]]) await open(list);
    // Neither older nor newer: two builds that added apart from each other.
    await expect(migrate(await connect([Broken9990000000001]))).rejects.toThrow('newer than this build');
    await migrate(newest);
    expect([await usable(old), await usable(current), await usable(newest)]).toEqual([false, false, true]);
    for (const schema of ['check', 'migrate'] as const) {
      await expect(openDatabase(config, { migrations: [CreateProbe9990000000000], schema })).rejects.toThrow(
        'newer than this build, by 1 migration',
      );
    }
  });
});

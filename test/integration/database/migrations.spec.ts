import { Logger } from '@nestjs/common';
import { join } from 'node:path';
import { type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrations } from '../../../migrations';
import {
  isContraction,
  isUsable,
  migrate,
  type MigrationClass,
  openDatabase,
  revertLast,
  schemaStatus,
} from '../../../src/infrastructure/database';
import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { EARLIER_MIGRATIONS, isBaseline } from '../../../src/infrastructure/postgres/connection/schema';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../../support/database';
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

class BaselineProbe1700000000001 implements MigrationInterface {
  name = 'BaselineProbe1700000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE base (n int)');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('is not reached'));
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
      earlier: [],
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

  it('are reverted one by one over rows, down to the baselines, which stay', async () => {
    const dataSource = await connect([BaselineProbe1700000000001, CreateProbe9990000000000]);
    await migrate(dataSource);
    await dataSource.query('INSERT INTO probe VALUES (1)');
    expect(await revertLast(dataSource)).toBe('CreateProbe9990000000000');
    await expect(revertLast(dataSource)).rejects.toThrow('BaselineProbe1700000000001 made the tables of a module');
    expect(await tables(dataSource)).toEqual(['base', 'migrations']);
    expect(await migrate(dataSource)).toEqual(['CreateProbe9990000000000']);
  });
});

describe('a database of builds before the baselines', () => {
  const all = migrations.map(({ name }) => name);
  const later = migrations.filter(({ name }) => !isBaseline(name));
  const ofBaselines = all.filter(isBaseline);
  let dataSource: DataSource;
  const store = async (names: readonly string[]): Promise<void> => {
    await dataSource.query('DELETE FROM migrations');
    for (const name of names) {
      await dataSource.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [name.slice(-13), name]);
    }
  };
  const stored = async (): Promise<string[]> =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);
  const open = async (schema: 'check' | 'migrate'): Promise<void> => {
    const config = { url: testDatabaseUrl(), dataDir: '/nowhere', poolSize: 1 };
    await (await openDatabase(config, { migrations, schema })).close();
  };

  // The tables of the baselines are those that the earlier migrations made; only their names differ.
  beforeAll(async () => {
    dataSource = await openTestDatabase();
    for (const _ of later) await revertLast(dataSource);
  });
  afterAll(async () => {
    await store(ofBaselines);
    await open('migrate');
    await dataSource.destroy();
  });

  it('with all of their migrations starts, keeps its rows, and lets builds of that time serve beside', async () => {
    await resetDatabase(dataSource);
    await dataSource.query(`INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'kept@example.org')`);
    await store(EARLIER_MIGRATIONS);
    await expect(open('check')).rejects.toThrow('older than this build');
    await open('migrate');
    await open('check');
    expect(await stored()).toEqual([...EARLIER_MIGRATIONS, ...all]);
    expect(await schemaStatus(dataSource)).toMatchObject({ applied: all, pending: [], unknown: [] });
    expect(await dataSource.query('SELECT email FROM users')).toEqual([{ email: 'kept@example.org' }]);
    // Builds of that time serve while none of their names is missing and no other begins with Contract.
    expect(all.filter(isContraction)).toEqual([]);
    await open('migrate');
    expect(await stored()).toEqual([...EARLIER_MIGRATIONS, ...all]);
    for (const _ of later) await revertLast(dataSource);
    await expect(revertLast(dataSource)).rejects.toThrow('It cannot be reverted');
  });

  it('with some of them is told which build comes first, and left alone', async () => {
    const some = EARLIER_MIGRATIONS.slice(0, -3);
    await store(some);
    for (const schema of ['check', 'migrate'] as const) {
      await expect(open(schema)).rejects.toThrow(
        '72 of 75 migrations of that time. Start the build of commit 7a8df64c once, which applies the others, then this one.',
      );
    }
    expect(await stored()).toEqual(some);
  });

  it('with more than them belongs to another branch, and is called newer', async () => {
    const more = [...EARLIER_MIGRATIONS, 'AddElsewhere1796870000000'];
    await store(more);
    for (const schema of ['check', 'migrate'] as const) {
      await expect(open(schema)).rejects.toThrow('newer than this build, by 1 migration');
    }
    expect(await stored()).toEqual(more);
  });
});

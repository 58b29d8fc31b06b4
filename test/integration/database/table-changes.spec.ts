import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import { FilesService } from '../../../src/files';
import { CollectionReferences } from '../../../src/knowledge-bases/retrieval/collection-references';
import type { Config } from '../../../src/infrastructure/config';
import { RowCache, TableChanges } from '../../../src/infrastructure/cache';
import {
  acrossOrganizations,
  openDatabase,
  type OpenDatabase,
  withinOrganization,
} from '../../../src/infrastructure/postgres';
import { Signals } from '../../../src/infrastructure/signals';
import { RubricsService } from '../../../src/rubrics';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../../support/database';
import { addOrganization } from '../../support/run-process';
import { until } from '../../support/until';

const OTHER = '01900000-0000-7000-8000-0000000000ff';
const RENAME = 'UPDATE organizations SET name = name WHERE id = $1';

/** Tables whose deletions change rows of these tables. */
const CASCADES = `
  SELECT DISTINCT confrelid::regclass::text AS name FROM pg_constraint
  WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd') AND conrelid = ANY ($1::text[]::regclass[])`;

interface Replica {
  readonly database: OpenDatabase;
  readonly signals: Signals;
  readonly changes: TableChanges;
}

describe('a value kept from rows', () => {
  let owner: DataSource;
  let organization: string;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    owner = await openTestDatabase();
    await resetDatabase(owner);
    organization = await addOrganization(owner);
  });
  afterEach(async () => {
    for (const { database, signals } of replicas.splice(0)) {
      await signals.onApplicationShutdown();
      await database.close();
    }
  });
  afterAll(async () => {
    await resetDatabase(owner);
    await owner.destroy();
  });

  async function replica(): Promise<Replica> {
    const url = testDatabaseUrl();
    const config = { url, dataDir: '', poolSize: 2 };
    const database = await openDatabase(config, { migrations, schema: 'skip', bound: true });
    const signals = new Signals({ database: { url } } as Config);
    signals.start();
    const made = { database, signals, changes: new TableChanges(database, signals) };
    replicas.push(made);
    return made;
  }
  const within = <T>(work: () => Promise<T>): Promise<T> => withinOrganization(organization, work);

  /** Counts how often the value is loaded. */
  function counted({ changes }: Replica): () => Promise<number> {
    const kept = new RowCache<number>(changes, { tables: ['organizations'], max: 10 });
    let loads = 0;
    return () => kept.get(organization, 'key', async () => ++loads);
  }

  it('is loaded again when this process has written one of its tables', async () => {
    const own = await replica();
    const value = counted(own);
    const { dataSource } = own.database;
    expect([await value(), await value()]).toEqual([1, 1]);
    await within(() => dataSource.query(RENAME, [organization]));
    expect(await value()).toBe(2);
    await withinOrganization(OTHER, () => dataSource.query(RENAME, [OTHER]));
    await within(() => dataSource.query('SELECT name FROM organizations FOR UPDATE'));
    expect(await value()).toBe(2);
    await acrossOrganizations('jobs', () => dataSource.query(RENAME, [organization]));
    expect(await value()).toBe(3);
  });

  it('stays until the transaction has committed', async () => {
    const own = await replica();
    const value = counted(own);
    await value();
    await within(() =>
      own.database.dataSource.transaction(async (tx) => {
        await tx.query(RENAME, [organization]);
        expect(await value()).toBe(1);
      }),
    );
    expect(await value()).toBe(2);
  });

  it('names the tables in which cascades to its own begin', async () => {
    const heard: (readonly string[])[] = [];
    const changes = { on: (tables: readonly string[]) => heard.push(tables) } as unknown as TableChanges;
    const none = {} as never;
    const storage = { declare: () => undefined } as never;
    new RubricsService(none, none, none, none, changes);
    new FilesService(none, none, none, none, none, storage, changes);
    new CollectionReferences(none, none, changes);
    expect(heard).toHaveLength(4);
    for (const tables of heard) {
      const begun = await owner.query<{ name: string }[]>(CASCADES, [tables]);
      expect(tables).toEqual(expect.arrayContaining(begun.map(({ name }) => name)));
    }
  });

  it('is loaded again when another replica has written', async () => {
    const [one, other] = [await replica(), await replica()];
    const value = counted(one);
    await value();
    await until(() => one.signals.state === 'ok' && other.signals.state === 'ok');
    await within(() => other.database.dataSource.query(RENAME, [organization]));
    await until(async () => (await value()) === 2);
  });
});

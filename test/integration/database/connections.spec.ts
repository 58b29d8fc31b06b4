import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { migrations } from '../../../migrations';
import {
  databaseErrorToAppError,
  DatabaseHealth,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isUniqueViolation,
  mayHaveCommitted,
  openDatabase,
  Transactions,
} from '../../../src/infrastructure/database';
import { connect } from '../../../src/infrastructure/postgres/connection/open-database';
import { createDataSource, type DataSourceSettings } from '../../../src/infrastructure/postgres/connection/data-source';
import { testDatabaseUrl } from '../../support/database';
import { DatabaseProxy } from '../../support/proxy';
import { until } from '../../support/until';

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('connections to the database', () => {
  let proxy: DatabaseProxy;
  const opened: DataSource[] = [];

  const make = (settings: Partial<DataSourceSettings> = {}): DataSource => {
    const dataSource = createDataSource({ url: proxy.url, poolSize: 2, migrations: [], ...settings });
    opened.push(dataSource);
    return dataSource;
  };

  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(async () => {
    proxy = new DatabaseProxy(testDatabaseUrl());
    await proxy.listen();
  });
  afterEach(async () => {
    for (const dataSource of opened.splice(0)) if (dataSource.isInitialized) await dataSource.destroy();
    await proxy.die().catch(() => undefined);
  });

  it('that are all in use make the next one an error', async () => {
    const dataSource = make({ poolSize: 1 });
    await connect(dataSource);
    const holder = dataSource.createQueryRunner();
    await holder.connect();
    const error = await rejection(dataSource.query('SELECT 1'));
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(databaseErrorToAppError(error)).toMatchObject({ code: 'unavailable', retryAfter: 2 });
    await holder.release();
  });

  it('that die while idle are replaced, and nobody crashes', async () => {
    const dataSource = make();
    await connect(dataSource);
    await Promise.all([dataSource.query('SELECT 1'), dataSource.query('SELECT 2')]);
    proxy.cut();
    await until(() => dataSource.query('SELECT 1').catch(() => null));
    expect(await dataSource.query('SELECT 3 AS n')).toEqual([{ n: 3 }]);
  });

  it('that an administrator ends while they are being opened fail their requests, and nothing else', async () => {
    const dataSource = make({ poolSize: 10 });
    await connect(dataSource);
    for (const count of [1, 3, 10]) {
      proxy.cut();
      proxy.terminateNext(count);
      const answers = await Promise.allSettled(
        Array.from({ length: 40 }, (_, n) => new Transactions(dataSource).run((tx) => tx.query('SELECT $1::int', [n]))),
      );
      for (const answer of answers) {
        if (answer.status === 'fulfilled') continue;
        expect(databaseErrorToAppError(answer.reason)).toMatchObject({ code: 'unavailable', retryAfter: 2 });
      }
    }
    proxy.terminateNext(0);
    expect(await dataSource.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('that fall silent in a transaction are given up after one query timeout', async () => {
    const queryTimeout = 2_000;
    const dataSource = make({ poolSize: 1, queryTimeout });
    await connect(dataSource);
    const started = performance.now();
    const error = await rejection(
      new Transactions(dataSource).run((tx) => {
        proxy.freeze();
        return tx.query('SELECT 1');
      }),
    );
    expect(databaseErrorToAppError(error)).toMatchObject({ code: 'unavailable' });
    expect(performance.now() - started).toBeLessThan(2 * queryTimeout);
    proxy.cut();
    expect(await dataSource.query('SELECT 2 AS n')).toEqual([{ n: 2 }]);
  });

  it('that die in a transaction fail it, and the next one succeeds', async () => {
    const dataSource = make();
    await connect(dataSource);
    const transactions = new Transactions(dataSource);
    const error = await rejection(
      transactions.run(async (tx) => {
        proxy.cut();
        await tx.query('SELECT 1');
      }),
    );
    expect(databaseErrorToAppError(error)).toMatchObject({ code: 'unavailable' });
    expect(await transactions.run((tx) => tx.query('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });

  it('that fall silent are given up after the query timeout and not used again', async () => {
    const dataSource = make({ poolSize: 1, queryTimeout: 300 });
    await connect(dataSource);
    proxy.freeze();
    const error = await rejection(dataSource.query('SELECT 1'));
    expect(databaseErrorToAppError(error)).toMatchObject({ code: 'unavailable' });
    expect(await until(() => dataSource.query('SELECT 2 AS n').catch(() => null))).toEqual([{ n: 2 }]);
  });

  it('to a server that accepts no writes are given up, and the service is not ready meanwhile', async () => {
    const dataSource = make({ poolSize: 1, migrations });
    await connect(dataSource);
    const health = new DatabaseHealth(dataSource);
    expect(await health.check()).toBe('ok');
    const becomeStandby = (): Promise<unknown> => dataSource.query('SET default_transaction_read_only = on');
    await becomeStandby();
    const error = await rejection(dataSource.query('CREATE TABLE written (id int)'));
    expect(databaseErrorToAppError(error)).toMatchObject({ code: 'unavailable', retryAfter: 2 });
    expect(isDatabaseUnavailable(error)).toBe(true);
    await until(async () => (await health.check()) === 'ok');
    await becomeStandby();
    expect(await health.check()).toBe('accepts no writes');
    expect(await until(() => dataSource.query('SHOW transaction_read_only').catch(() => null))).toEqual([
      { transaction_read_only: 'off' },
    ]);
  });

  it('tell that a commit without an answer may have happened, and that a refused one has not', async () => {
    const dataSource = make();
    await connect(dataSource);
    const transactions = new Transactions(dataSource);
    await dataSource.query('CREATE TABLE IF NOT EXISTS commits (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const insert = (id: number) =>
      rejection(transactions.run((tx) => tx.query('INSERT INTO commits VALUES ($1)', [id])));
    proxy.swallowCommit(/INSERT INTO commits/);
    const unanswered = await insert(1);
    expect(mayHaveCommitted(new Error('wrapped', { cause: unanswered }))).toBe(true);
    expect(await until(() => dataSource.query('SELECT id FROM commits').catch(() => null))).toEqual([{ id: 1 }]);
    const refused = await insert(1);
    expect([isUniqueViolation(refused), mayHaveCommitted(refused)]).toEqual([true, false]);
    proxy.swallow(/INSERT INTO commits/);
    const unwritten = await insert(2);
    expect([isDatabaseUnavailable(unwritten), mayHaveCommitted(unwritten)]).toEqual([true, false]);
    await until(() => dataSource.query('DROP TABLE commits').catch(() => null));
  });

  it('are tried again while the server is still starting', async () => {
    await proxy.die();
    const dataSource = make();
    const tries = jest.spyOn(dataSource, 'initialize');
    const connected = connect(dataSource, { patience: 50_000, pause: 50 });
    await until(() => tries.mock.calls.length > 1);
    await proxy.listen();
    await connected;
    expect(await dataSource.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  it('are given up when the server does not come', async () => {
    await proxy.die();
    await expect(connect(make(), { patience: 200, pause: 50 })).rejects.toThrow('did not answer within 0.2 s');
  });

  it('are not tried again when the server knows no such database', async () => {
    const url = new URL(proxy.url);
    url.pathname = '/no_such_database';
    await expect(connect(make({ url: url.toString() }))).rejects.toThrow('refuses the connection');
  });

  it('to a server that has fallen silent do not keep the service from ending', async () => {
    const config = { url: proxy.url, dataDir: '/nowhere', poolSize: 1 };
    const database = await openDatabase(config, { migrations: [], schema: 'skip' });
    proxy.freeze();
    await database.close();
  }, 10_000);

  describe('errors of the database', () => {
    const TABLES = `
      CREATE TABLE parents (id int CONSTRAINT parents_pk PRIMARY KEY, name text CONSTRAINT parents_name_uq UNIQUE);
      CREATE TABLE children (parent int CONSTRAINT children_parent_fk REFERENCES parents (id));
      INSERT INTO parents VALUES (1, 'one')`;
    let dataSource: DataSource;

    const failing = async (sql: string, parameters: unknown[] = []): Promise<unknown> =>
      rejection(
        new Transactions(dataSource).run(async (tx) => {
          await tx.query(TABLES);
          await tx.query(sql, parameters);
        }),
      );

    beforeEach(async () => {
      dataSource = make();
      await connect(dataSource);
    });

    it.each([
      ['NUL in a text', 'SELECT $1::text', ['a\0b']],
      ['NUL in a document', 'SELECT $1::jsonb', ['{"a":"\\u0000"}']],
      ['a lone surrogate in a document', 'SELECT $1::jsonb', ['{"a":"\\ud800"}']],
      ['a number too large', 'SELECT $1::int', ['99999999999']],
      ['no uuid', 'SELECT $1::uuid', ['nobody']],
      ['no date', 'SELECT $1::timestamptz', ['someday']],
    ])('become bad_request for %s', async (_name, sql, parameters) => {
      expect(databaseErrorToAppError(await failing(sql, parameters))).toMatchObject({ code: 'bad_request' });
    });

    it('become conflict for a key that exists, and tell which', async () => {
      const error = await failing("INSERT INTO parents VALUES (2, 'one')");
      expect(databaseErrorToAppError(error)).toMatchObject({ code: 'conflict' });
      expect([
        isUniqueViolation(error),
        isUniqueViolation(error, 'parents_name_uq'),
        isUniqueViolation(error, 'parents_pk'),
      ]).toEqual([true, true, false]);
    });

    it('become conflict for a reference to nothing', async () => {
      const error = await failing('INSERT INTO children VALUES (7)');
      expect(databaseErrorToAppError(error)).toMatchObject({ code: 'conflict' });
      expect([isForeignKeyViolation(error, 'children_parent_fk'), isUniqueViolation(error)]).toEqual([true, false]);
    });

    it('stay what they are when the statement is wrong: that is our defect', async () => {
      expect(databaseErrorToAppError(await failing('SELECT nope'))).toBeNull();
    });
  });
});

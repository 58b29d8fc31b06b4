import type { DataSource } from 'typeorm';
import { databaseErrorToAppError, queryPrepared } from '../../../src/infrastructure/database';
import { openTestDatabase } from '../../support/database';

let dataSource: DataSource;
beforeAll(async () => {
  dataSource = await openTestDatabase();
});
afterAll(() => dataSource.destroy());

it('answers with its own values every time, on every connection', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => queryPrepared(dataSource, 'SELECT $1::int * 2 AS double', [n])),
  );
  expect(answers.map(([row]) => row?.['double'])).toEqual(Array.from({ length: 40 }, (_, n) => n * 2));
});

it('a prepared statement is known to its connection afterwards', async () => {
  const text = 'SELECT $1::text AS remembered';
  for (let n = 0; n < 10; n++) await queryPrepared(dataSource, text, ['x']);
  const rows = await queryPrepared(dataSource, 'SELECT name FROM pg_prepared_statements WHERE statement = $1', [text]);
  expect(rows.length).toBeGreaterThan(0);
});

it('fails as every statement does, and gives its connection back', async () => {
  const errors = await Promise.all(
    Array.from({ length: 20 }, () =>
      queryPrepared(dataSource, 'SELECT $1::uuid', ['x']).catch((error: unknown) => error),
    ),
  );
  expect(errors.map((error) => databaseErrorToAppError(error)?.code)).toEqual(Array(20).fill('bad_request'));
  expect(await queryPrepared(dataSource, 'SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
});

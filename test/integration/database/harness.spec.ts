import type { DataSource } from 'typeorm';
import { openTestDatabase, resetDatabase } from '../../support/database';

describe('the test database', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await openTestDatabase();
  });
  afterAll(() => dataSource.destroy());

  it('is migrated and can be emptied', async () => {
    await resetDatabase(dataSource);
    const [{ count }] = await dataSource.query<[{ count: string }]>('SELECT count(*) FROM migrations');
    expect(Number(count)).toBeGreaterThan(0);
  });
});

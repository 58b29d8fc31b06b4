import type { DataSource } from 'typeorm';

import { createDataSource } from '../../../src/infrastructure/postgres/connection/data-source';
import { EmbeddedMaintenance } from '../../../src/infrastructure/database/embedded-maintenance';
import { ownedDatabase } from '../../support/database';
import { describeEmbedded, startTestEngine, type TestEngine } from '../../support/embedded-engine';

describeEmbedded('maintenance of the embedded engine', () => {
  let engine: TestEngine;
  let dataSource: DataSource;
  let maintenance: EmbeddedMaintenance;
  beforeAll(async () => {
    engine = await startTestEngine();
    dataSource = await createDataSource({ url: engine.url, poolSize: 2, migrations: [] }).initialize();
    maintenance = new EmbeddedMaintenance(dataSource, { ...ownedDatabase(dataSource), engine: 'embedded' });
  });
  afterAll(() => dataSource.destroy());
  // A hook of its own: the engine's thread ends even when the connection failed.
  afterAll(() => engine.stop());
  const size = async (): Promise<number> =>
    (await dataSource.query<{ size: number }[]>(`SELECT pg_relation_size('churn')::int AS size`))[0]?.size ?? 0;

  it('gives the space of deleted rows to the next ones', async () => {
    await dataSource.query('CREATE TABLE churn (n int, filler text)');
    await dataSource.query(`INSERT INTO churn SELECT n, repeat('x', 500) FROM generate_series(1, 6000) n`);
    const before = await size();
    expect(await maintenance.run()).toBeNull();
    for (let round = 0; round < 3; round++) {
      await dataSource.query('DELETE FROM churn');
      expect(await maintenance.run()).toBe('public.churn');
      expect(await maintenance.run()).toBeNull();
      await dataSource.query(`INSERT INTO churn SELECT n, repeat('y', 500) FROM generate_series(1, 6000) n`);
    }
    expect(await size()).toBeLessThan(1.2 * before);
  });

  it('waits while anybody is at work', async () => {
    await dataSource.query('DELETE FROM churn');
    const runner = dataSource.createQueryRunner();
    await runner.connect();
    expect(await maintenance.run()).toBeNull();
    await runner.release();
    expect(await maintenance.run()).toBe('public.churn');
  });
});

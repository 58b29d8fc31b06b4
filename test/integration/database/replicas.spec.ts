import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../../migrations';
import { revertLast } from '../../../src/platform/database';
import { createDataSource } from '../../../src/platform/postgres/connection/data-source';
import { createScratchDatabase, type ScratchDatabase } from '../../support/scratch-database';
import { startServer } from '../../support/server-process';

/** The embedded engine belongs to one process: two replicas are for a server. */
const describeOnServer = process.env.TEST_DATABASE_URL ? describe : describe.skip;

jest.setTimeout(120_000);

describeOnServer('two replicas that start at once', () => {
  let scratch: ScratchDatabase;
  let home: string;

  beforeAll(async () => {
    scratch = await createScratchDatabase();
    home = mkdtempSync(join(tmpdir(), 'bw-replicas-'));
  });
  afterAll(async () => {
    await scratch.drop();
    rmSync(home, { recursive: true });
  });

  it.each([
    ['an empty database', 0],
    ['one of an older version', 3],
  ])('on %s are both ready, and each migration was applied once', async (_name, older) => {
    const dataSource = await createDataSource({ url: scratch.url, poolSize: 1, migrations }).initialize();
    for (let step = 0; step < older; step += 1) await revertLast(dataSource);
    const replicas = await Promise.all(
      ['one', 'other'].map((name) => startServer({ dataDir: join(home, name), databaseUrl: scratch.url })),
    );
    try {
      for (const replica of replicas) {
        expect(await replica.api('GET', '/health/ready')).toMatchObject({ status: 200 });
        expect(await replica.api('GET', '/api/v1/assistants')).toMatchObject({ status: 200 });
      }
      expect(replicas.filter((replica) => replica.output().includes('Applied '))).toHaveLength(1);
      const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
      expect(rows.map(({ name }) => name).sort()).toEqual(migrations.map(({ name }) => name).sort());
    } finally {
      await Promise.all(replicas.map((replica) => replica.kill()));
      await dataSource.destroy();
    }
  });
});

import type { DataSource } from 'typeorm';
import { migrations } from '../../migrations';
import { type OpenDatabase, TableWrites } from '../../src/infrastructure/postgres';
import { connect } from '../../src/infrastructure/postgres/connection/open-database';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';

/** Variable in which global-setup leaves one URL per jest worker. */
export const TEST_DATABASES = 'BELLWETHER_TEST_DATABASES';

/** Variable with the path of the dump of a migrated database. */
export const TEST_DUMP = 'BELLWETHER_TEST_DUMP';

/** The migrated database of this jest worker; nobody else uses it while a test file runs. */
export function testDatabaseUrl(): string {
  const urls = JSON.parse(process.env[TEST_DATABASES] ?? '[]') as string[];
  const url = urls[Number(process.env.JEST_WORKER_ID ?? '1') - 1];
  if (url === undefined) throw new Error('No test database: unit tests have none, see docs/contributing/database.md');
  return url;
}

/** The part of `OpenDatabase` that a module asks for, over a data source of the owner. */
export const ownedDatabase = (dataSource: DataSource): OpenDatabase => ({
  dataSource,
  engine: 'server',
  login: 'owner',
  rowSecurity: { enforced: false, reason: 'the test acts as the owner', commands: [] },
  writes: new TableWrites(),
  asOwner: (work) => work(dataSource),
  enforceRowSecurity: () => Promise.resolve(),
  close: () => dataSource.destroy(),
});

/** A connected data source with the entities that the test file has imported. */
export async function openTestDatabase(): Promise<DataSource> {
  // A test that waits for its connections on a busy machine is slow, not wrong.
  const connectTimeout = 30_000;
  const dataSource = createDataSource({ url: testDatabaseUrl(), poolSize: 5, migrations, connectTimeout });
  await connect(dataSource);
  return dataSource;
}

/** Only tables that have rows: truncating forty empty ones takes longer than most tests. */
const EMPTY_TABLES = `
  DO $$
  DECLARE
    candidate text;
    used boolean;
    full_ones text[] := '{}';
  BEGIN
    FOR candidate IN
      SELECT quote_ident(tablename) FROM pg_tables
      WHERE schemaname = current_schema() AND tablename NOT IN ('migrations', 'typeorm_metadata')
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', candidate) INTO used;
      IF used THEN full_ones := full_ones || candidate; END IF;
    END LOOP;
    IF full_ones <> '{}' THEN
      -- Audit entries may be removed by their retention alone.
      PERFORM set_config('bellwether.audit_change', 'prune', true);
      EXECUTE format('TRUNCATE %s RESTART IDENTITY CASCADE', array_to_string(full_ones, ', '));
    END IF;
    IF to_regclass('pgboss.job') IS NOT NULL THEN
      DELETE FROM pgboss.job;
    END IF;
  END
  $$`;

/** Empties every table of the schema, whichever modules they belong to, and the job queues. */
export async function resetDatabase(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  await database.query(EMPTY_TABLES);
}

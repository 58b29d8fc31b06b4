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

/**
 * A truncation makes the files of a table, of its indexes and of all tables that refer to it anew, which takes a hundred times
 * as long as deleting the few rows that a test leaves. A table that has grown is truncated: nothing else removes dead rows. One
 * statement deletes from all tables, so references between them do not matter.
 */
const EMPTY_TABLES = `
  DO $$
  DECLARE
    candidate record;
    used boolean;
    large_ones text[] := '{}';
    deletions text[] := '{}';
  BEGIN
    FOR candidate IN
      SELECT quote_ident(relname) AS name, pg_relation_size(oid) > 262144 AS is_large FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
        AND relname NOT IN ('migrations', 'typeorm_metadata')
    LOOP
      IF candidate.is_large THEN
        large_ones := large_ones || candidate.name;
        CONTINUE;
      END IF;
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', candidate.name) INTO used;
      IF used THEN
        deletions := deletions || format('d%s AS (DELETE FROM %s)', cardinality(deletions), candidate.name);
      END IF;
    END LOOP;
    -- Audit entries may be removed by their retention alone.
    PERFORM set_config('bellwether.audit_change', 'prune', true);
    IF large_ones <> '{}' THEN
      EXECUTE format('TRUNCATE %s RESTART IDENTITY CASCADE', array_to_string(large_ones, ', '));
    END IF;
    IF deletions <> '{}' THEN
      EXECUTE format('WITH %s SELECT', array_to_string(deletions, ', '));
    END IF;
    PERFORM setval(s.seqrelid, s.seqstart, false)
      FROM pg_sequence s JOIN pg_depend d ON d.objid = s.seqrelid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      JOIN pg_class t ON t.oid = d.refobjid AND t.relnamespace = current_schema()::regnamespace
      WHERE t.relname NOT IN ('migrations', 'typeorm_metadata');
    IF to_regclass('pgboss.job') IS NOT NULL THEN
      DELETE FROM pgboss.job;
    END IF;
  END
  $$`;

/** Empties every table of the schema, whichever modules they belong to, and the job queues. */
export async function resetDatabase(database: { query(sql: string): Promise<unknown> }): Promise<void> {
  await database.query(EMPTY_TABLES);
}

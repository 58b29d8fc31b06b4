import { realpathSync } from 'node:fs';
import { Client } from 'pg';
import { type MigrationClass, createDataSource } from '../connection/data-source';
import { migrate } from '../connection/migrate';
import { SCHEMAS, type Table, foreignKeysOf, tablesOf, tablesWithRows } from './catalogue';

const CONNECT_TIMEOUT_MS = 10_000;
/** Short, because nobody else should use an empty database. */
const LOCK_TIMEOUT_MS = 10_000;
const OLDEST_SERVER = 150_000;

export class ExportTarget {
  private lost: Error | null = null;

  private constructor(
    readonly client: Client,
    private readonly url: string,
  ) {
    // Without a listener a lost connection would end the process.
    client.on('error', (error) => (this.lost = error));
  }

  /** @throws when it cannot be reached, is too old, or may not be written to. */
  static async open(url: string): Promise<ExportTarget> {
    const client = new Client({
      connectionString: url,
      application_name: 'bellwether-export',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const target = new ExportTarget(client, url);
    await client.connect().catch((error: unknown) => {
      throw new Error(`The target cannot be used: ${reason(error)}`, { cause: error });
    });
    try {
      await target.assertSuitable();
      return target;
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  /** Reason of a lost connection; null while it works. */
  get lostBecause(): string | null {
    return this.lost === null ? null : reason(this.lost);
  }

  /** True for the engine that listens at `url`. */
  isServedAt(url: string | null): boolean {
    const directory = url === null ? null : new URL(url).searchParams.get('host');
    return directory !== null && this.client.host.startsWith('/') && sameFile(this.client.host, directory);
  }

  async migrate(migrations: readonly MigrationClass[]): Promise<void> {
    const dataSource = createDataSource({
      url: this.url,
      poolSize: 1,
      migrations,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    await dataSource.initialize();
    try {
      await migrate(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  /** Locks all tables, which must be empty, until the end of the transaction. */
  async begin(): Promise<Table[]> {
    await this.client.query('BEGIN');
    await this.client.query(`
      SET LOCAL statement_timeout TO 0;
      SET LOCAL idle_in_transaction_session_timeout TO 0;
      SET LOCAL lock_timeout TO ${LOCK_TIMEOUT_MS}`);
    const tables = await tablesOf(this.client);
    if (tables.length > 0) {
      await this.client.query(`LOCK TABLE ${tables.map(({ name }) => name).join(', ')} IN ACCESS EXCLUSIVE MODE`);
    }
    await this.assertEmpty();
    return tables;
  }

  /**
   * Drops foreign keys and disables triggers, until the returned function restores them. Keys are checked then, over
   * all rows.
   */
  async relax(): Promise<() => Promise<void>> {
    const keys = await foreignKeysOf(this.client);
    for (const { table, name } of keys) await this.client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    const { rows: triggers } = await this.client.query<{ table: string; name: string }>(TRIGGERS, [SCHEMAS]);
    for (const { table, name } of triggers) await this.client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`);
    return async () => {
      for (const { table, name } of triggers) await this.client.query(`ALTER TABLE ${table} ENABLE TRIGGER ${name}`);
      for (const { table, name, definition } of keys) {
        await this.client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
      }
    };
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  private async assertSuitable(): Promise<void> {
    const { rows } = await this.client.query<{ version: number; encoding: string; allowed: boolean }>(`
      SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
        has_database_privilege(current_database(), 'CREATE') AND has_schema_privilege('public', 'CREATE') AS allowed`);
    const [found] = rows;
    if (found === undefined || found.version < OLDEST_SERVER) throw new Error('The target is older than PostgreSQL 15');
    if (found.encoding !== 'UTF8') throw new Error(`The target stores ${found.encoding}, not UTF8`);
    if (!found.allowed) {
      throw new Error(
        'This role may not make tables in the target: it needs CREATE on the database and its schema public',
      );
    }
  }

  async assertEmpty(): Promise<void> {
    const full = await tablesWithRows(this.client, await tablesOf(this.client));
    if (full.length === 0) return;
    const named = full.slice(0, 3).join(', ') + (full.length > 3 ? ` and ${full.length - 3} more` : '');
    throw new Error(`The target is not empty: it has rows in ${named}. Nothing was written there.`);
  }
}

const TRIGGERS = `
  SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(t.tgname) AS name
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT t.tgisinternal AND t.tgenabled = 'O' AND n.nspname = ANY ($1)
  ORDER BY t.oid`;

/** A refused connection to a name with several addresses is an AggregateError without a message of its own. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}

function sameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

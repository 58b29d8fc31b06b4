import { type SnapshotOptions, runningEmbeddedUrl, startEmbedded, takeSnapshot } from '@bellwether/embedded-postgres';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { Client } from 'pg';
import { type MigrationClass, createDataSource } from '../connection/data-source';
import { migrate } from '../connection/migrate';
import { type Table, sequencesOf, tablesOf } from './catalogue';
import { type Fingerprint, SAME_TEXTS, fingerprintOf, isEqual } from './fingerprint';
import { ExportTarget } from './target';

interface Definition {
  readonly columns: readonly { readonly line: string; readonly type: string; readonly extension: string | null }[];
  readonly options: string | null;
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
}

const LINES = `
  SELECT quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS line,
    format_type(a.atttypid, NULL) AS type,
    (SELECT e.extname FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
      WHERE d.objid = a.atttypid AND d.deptype = 'e') AS extension
  FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
const REST = `
  SELECT array_to_string(c.reloptions, ', ') AS options,
    ARRAY(SELECT format('ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'c', 'f') ORDER BY k.contype <> 'p', k.oid) AS constraints,
    ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
      WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)) AS indexes
  FROM pg_class c WHERE c.oid = $1::regclass`;

async function definitionOf(client: Client, table: Table): Promise<Definition> {
  const { rows: columns } = await client.query<Definition['columns'][number]>(LINES, [table.name]);
  const { rows } = await client.query<Omit<Definition, 'columns'>>(REST, [table.name]);
  const rest = rows[0];
  if (rest === undefined) throw new Error(`${table.label} is gone`);
  return { columns, ...rest };
}

/**
 * Makes a table that the service itself makes, outside the migrations, where the server has the extension.
 * @throws with the name of the missing extension.
 */
async function makeTable(from: Client, to: Client, table: Table): Promise<void> {
  const { columns, options, constraints, indexes } = await definitionOf(from, table);
  for (const { type, extension } of columns) {
    const { rows } = await to.query<{ known: boolean }>('SELECT to_regtype($1) IS NOT NULL AS known', [type]);
    if (rows[0]?.known !== true) await makeExtension(to, extension ?? type, table);
  }
  const settings = options === null || options === '' ? '' : ` WITH (${options})`;
  await to.query(`CREATE TABLE ${table.name} (${columns.map(({ line }) => line).join(', ')})${settings}`);
  for (const constraint of constraints) await to.query(`ALTER TABLE ${table.name} ${constraint}`);
  for (const index of indexes) await to.query(index);
}

async function makeExtension(to: Client, extension: string, { label }: Table): Promise<void> {
  const { rows } = await to.query<{ known: boolean }>(
    'SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = $1) AS known',
    [extension],
  );
  if (rows[0]?.known !== true) {
    throw new Error(`${label} needs the extension "${extension}", which that server does not have. Install it there.`);
  }
  await to.query(`CREATE EXTENSION IF NOT EXISTS "${extension.replaceAll('"', '""')}"`).catch((error: unknown) => {
    throw new Error(
      `${label} needs the extension "${extension}", which this role may not make there. ` +
        `Have a superuser run CREATE EXTENSION ${extension} in that database.`,
      { cause: error },
    );
  });
}

/** Limits of one batch: its rows, its bytes at average row size, and its bytes if all rows were the longest. */
const MOST_ROWS = 1_000;
const AVERAGE_BYTES = 4 * 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

interface CopyOptions {
  readonly signal: AbortSignal;
  /** Called with the rows of each batch. */
  readonly copied: (rows: number) => void;
}

/** Text form of the database: a conversion to JavaScript types would change some values. */
const AS_TEXT = { getTypeParser: () => (value: string | Buffer) => value.toString() };

export function batchSize({ rows, bytes, longest }: Fingerprint): number {
  const usual = Math.floor(AVERAGE_BYTES / Math.max(1, bytes / Math.max(1, rows)));
  const safe = Math.floor(MOST_BYTES / Math.max(1, longest));
  return Math.max(1, Math.min(MOST_ROWS, usual, safe));
}

/**
 * Both clients are inside a transaction. Not `COPY`: the embedded engine answers it in one piece, with the whole table
 * in memory.
 * @throws the reason of the signal between two batches.
 */
async function copyTable(
  from: Client,
  to: Client,
  table: Table,
  size: number,
  { signal, copied }: CopyOptions,
): Promise<void> {
  const columns = table.columns.map(({ name }) => name).join(', ');
  const insert = insertInto(table, columns);
  await from.query(`DECLARE rows_of_table NO SCROLL CURSOR FOR SELECT ${columns} FROM ${table.name}`);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { rows } = await from.query<(string | null)[]>({
        text: `FETCH ${size} FROM rows_of_table`,
        rowMode: 'array',
        types: AS_TEXT,
      });
      if (rows.length === 0) return;
      await to.query(
        insert,
        table.columns.map((_, index) => rows.map((row) => row[index] ?? null)),
      );
      copied(rows.length);
    }
  } finally {
    await from.query('CLOSE rows_of_table').catch(() => undefined);
  }
}

function insertInto({ name, columns }: Table, names: string): string {
  const values = columns.map(({ type }, index) => `v${index}::${type}`).join(', ');
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const aliases = columns.map((_, index) => `v${index}`).join(', ');
  return `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${arrays}) AS given (${aliases})`;
}

export interface ExportOptions extends SnapshotOptions {
  /** Folder of the embedded database. */
  readonly dataDir: string;
  /** Connection URL of an empty database on a server. */
  readonly to: string;
  readonly migrations: readonly MigrationClass[];
  readonly report: (progress: { done: number; total: number | null; text: string }) => void;
  /** The compiled `embedded.worker`; elsewhere only where this file itself runs uncompiled. */
  readonly workerFile?: string;
}

export interface ExportedTable {
  readonly table: string;
  readonly rows: number;
  /** Equal on both sides. */
  readonly checksum: string;
}

export interface ExportReport {
  readonly tables: readonly ExportedTable[];
  readonly rows: number;
  /** Later writes are not in the copy. */
  readonly takenAt: Date;
  /** Whether a server was running on the data directory. */
  readonly beside: boolean;
}

/** Only this command uses the copy. It may be idle while the target is slow. */
const PATIENCE_MS = 24 * 3_600_000;

/**
 * Copies the embedded database into an empty one on a server: all rows or none. The source is a copy of its files.
 * Counts and checksums of every table are compared before the commit.
 * @throws with a message for operators, or the reason of the signal.
 */
export async function exportDatabase(options: ExportOptions): Promise<ExportReport> {
  const target = await ExportTarget.open(options.to);
  try {
    if (target.isServedAt(await runningEmbeddedUrl(options.dataDir))) {
      throw new Error('The target is the embedded database itself');
    }
    await target.assertEmpty();
    options.report({ done: 0, total: null, text: 'copying the data files' });
    const snapshot = await takeSnapshot(options.dataDir, options);
    try {
      const engine = await startEmbedded({
        dataDir: snapshot.dataDir,
        waitMs: PATIENCE_MS,
        idleLimitMs: PATIENCE_MS,
        logger: new Logger('EmbeddedDatabase'),
        ...(options.workerFile === undefined ? {} : { workerFile: options.workerFile }),
      });
      try {
        const tables = await new Copying(engine.url, target, options).run();
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        return { tables, rows, takenAt: snapshot.takenAt, beside: snapshot.servedAt !== null };
      } finally {
        await engine.close();
      }
    } finally {
      await snapshot.remove();
    }
  } finally {
    await target.close();
  }
}

interface Measured {
  readonly table: Table;
  readonly fingerprint: Fingerprint;
}

/** From one running engine to one target. */
class Copying {
  private committing = false;

  constructor(
    private readonly url: string,
    private readonly target: ExportTarget,
    private readonly options: ExportOptions,
  ) {}

  async run(): Promise<ExportedTable[]> {
    const from = new Client({ connectionString: this.url });
    from.on('error', () => undefined);
    try {
      await this.bringSourceUpToDate();
      await this.target.migrate(this.options.migrations);
      await from.connect();
      await from.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SAME_TEXTS}`);
      return await this.copy(from);
    } catch (error) {
      throw this.explained(error);
    } finally {
      await from.end().catch(() => undefined);
    }
  }

  /** Migrates the copy: the data directory may be of an older version. */
  private async bringSourceUpToDate(): Promise<void> {
    const dataSource = createDataSource({ url: this.url, poolSize: 1, migrations: this.options.migrations });
    await dataSource.initialize();
    try {
      await migrate(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  private async copy(from: Client): Promise<ExportedTable[]> {
    const { client: to } = this.target;
    const measured = await this.measure(from);
    const there = await this.target.begin();
    await to.query(SAME_TEXTS);
    await makeMissing(from, to, measured, there);
    await makeQueues(from, to);
    const wanted = measured.filter(({ table, fingerprint }) => fingerprint.rows > 0 || has(there, table));
    assertSameColumns(wanted, await tablesOf(to));
    const restore = await this.target.relax();
    await this.copyRows(from, wanted);
    for (const { name, next } of await sequencesOf(from)) {
      await to.query(`ALTER SEQUENCE IF EXISTS ${name} RESTART WITH ${next}`);
    }
    await this.assertEqual(wanted);
    await restore();
    this.options.signal.throwIfAborted();
    this.committing = true;
    await to.query('COMMIT');
    return wanted.map(({ table, fingerprint: { rows, checksum } }) => ({ table: table.label, rows, checksum }));
  }

  private async measure(from: Client): Promise<Measured[]> {
    const measured: Measured[] = [];
    const tables = await tablesOf(from);
    for (const [done, table] of tables.entries()) {
      this.options.signal.throwIfAborted();
      this.options.report({ done, total: tables.length, text: `tables counted (${table.label})` });
      measured.push({ table, fingerprint: await fingerprintOf(from, table) });
    }
    return measured;
  }

  private async copyRows(from: Client, wanted: readonly Measured[]): Promise<void> {
    const { signal, report } = this.options;
    const total = wanted.reduce((sum, { fingerprint }) => sum + fingerprint.rows, 0);
    let done = 0;
    // pg-boss makes each queue again, with its partition.
    if (wanted.some(({ table }) => table.label === QUEUES)) await this.target.client.query(`DELETE FROM ${QUEUES}`);
    for (const { table, fingerprint } of wanted) {
      const copied = (rows: number): void =>
        report({ done: (done += rows), total, text: `rows copied (${table.label})` });
      await copyTable(from, this.target.client, table, batchSize(fingerprint), { signal, copied });
    }
  }

  private async assertEqual(wanted: readonly Measured[]): Promise<void> {
    for (const [done, { table, fingerprint }] of wanted.entries()) {
      this.options.signal.throwIfAborted();
      this.options.report({ done, total: wanted.length, text: `tables compared (${table.label})` });
      const arrived = await fingerprintOf(this.target.client, table);
      if (!isEqual(arrived, fingerprint)) {
        const counts = `${fingerprint.rows} rows here, ${arrived.rows} there`;
        throw new Error(`${table.label} did not arrive as it is (${counts}); nothing was written`);
      }
    }
  }

  private explained(error: unknown): unknown {
    const { lostBecause } = this.target;
    if (this.options.signal.aborted && !this.committing) return this.options.signal.reason;
    if (lostBecause !== null) {
      return new Error(
        this.committing
          ? `The target was lost at the very end (${lostBecause}). All rows are there or none: if it is empty, run this again.`
          : `The target was lost (${lostBecause}). No row was written there; run this again.`,
        { cause: error },
      );
    }
    const { code, message } = error as Error & { code?: unknown };
    if (code === '53100')
      return new Error('The disk of the target is full. No row was written there.', { cause: error });
    if (code === '42501') return new Error(`The target refuses: ${message}`, { cause: error });
    if (code === '55P03')
      return new Error('Somebody else uses the target. No row was written there.', { cause: error });
    return error;
  }
}

const QUEUES = 'pgboss.queue';

const has = (tables: readonly Table[], { label }: Table): boolean => tables.some((table) => table.label === label);

/** The service makes a missing empty table itself where the server allows it. */
async function makeMissing(
  from: Client,
  to: Client,
  measured: readonly Measured[],
  there: readonly Table[],
): Promise<void> {
  for (const { table, fingerprint } of measured) {
    if (fingerprint.rows > 0 && !has(there, table)) await makeTable(from, to, table);
  }
}

/** Only pg-boss's own function makes the partition of a queue. */
async function makeQueues(from: Client, to: Client): Promise<void> {
  const { rows: found } = await from.query<{ there: boolean }>(`SELECT to_regclass('${QUEUES}') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return;
  const { rows } = await from.query<{ name: string }>(`SELECT name FROM ${QUEUES} ORDER BY name`);
  for (const { name } of rows) await to.query(`SELECT pgboss.create_queue($1, '{}'::json)`, [name]);
}

/** Only tables of libraries can differ here. */
function assertSameColumns(wanted: readonly Measured[], there: readonly Table[]): void {
  const describe = (table: Table | undefined): string =>
    (table?.columns ?? [])
      .map(({ name, type }) => `${name} ${type}`)
      .sort()
      .join(', ');
  const different = wanted.find(
    ({ table }) => describe(table) !== describe(there.find((t) => t.label === table.label)),
  );
  if (different !== undefined) {
    throw new Error(`${different.table.label} is of an older version; start the service once on it, then export again`);
  }
}

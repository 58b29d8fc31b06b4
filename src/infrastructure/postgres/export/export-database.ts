import { Client } from 'pg';
import { createDataSource } from '../connection/data-source';
import type { MigrationClass } from '../connection/database.types';
import { runningEmbeddedUrl, startEmbedded, takeSnapshot, type SnapshotOptions } from '../embedded';
import { migrate } from '../connection/migrate';
import { sequencesOf, type Table, tablesOf } from './catalogue';
import { batchSize, copyTable } from './copy-table';
import { type Fingerprint, fingerprintOf, isEqual, SAME_TEXTS } from './fingerprint';
import { makeTable } from './missing-tables';
import { ExportTarget } from './target';

export interface ExportOptions extends SnapshotOptions {
  /** Of the embedded database. */
  readonly dataDir: string;
  /** Of an empty database on a server. */
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

import { constants, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';

/** Names the process that has the files. */
const NOT_DATA = new Set(['postmaster.pid']);

/** Copies a data directory file by file, whatever its size. @throws the signal's reason, leaving what is there so far. */
export async function copyDataFiles(from: string, to: string, signal: AbortSignal): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDataFiles(source, target, signal);
    else if (entry.isFile() && !NOT_DATA.has(entry.name)) {
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    }
  }
}

/** Bytes of all files below a directory; vanished files count nothing. */
export async function sizeOfFiles(directory: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    size += await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      () => 0,
    );
  }
  return size;
}

/** A data directory that only this user reads; an engine can start on it. */
export const exportDirectory = (dataDir: string): string => join(dataDir, 'export');

/** Target of a copy of `<data directory>/postgres`. It is fixed, so no client can name another place. */
export const snapshotDirectory = (directory: string): string =>
  join(exportDirectory(dirname(directory)), basename(directory));

export interface EngineOptions {
  /** The PostgreSQL data directory; null keeps everything in memory. */
  readonly directory: string | null;
  /** A dump to start from when there is no data yet. */
  readonly template?: string;
}

/** The engine's state is undefined. A new engine over the same files recovers from its log. */
export class EngineBrokenError extends Error {}

/** Last line of the engine's log. An endless loop follows, which only ending the thread stops. */
const LAST_WORDS = /\[\d+\] (?:FATAL|PANIC): {2}(.*)/;

/** PostgreSQL compiled to WebAssembly, in this thread: while it works, the thread does nothing else. */
export class Engine {
  private broken: string | null = null;
  private readonly database: PGlite;

  private readonly directory: string | null;

  private constructor(
    { directory, template }: EngineOptions,
    private readonly onBroken: (reason: string) => void,
  ) {
    this.directory = directory;
    this.database = new PGlite({
      ...(directory === null ? {} : { dataDir: directory }),
      ...(template === undefined ? {} : { loadDataDir: new Blob([readFileSync(template)]) }),
      extensions: { vector, pg_trgm, unaccent },
      // The defaults are required: without them the engine spins for ever.
      startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
      onStderr: (line) => this.overhear(line),
    });
  }

  /** `onBroken` is called while the engine may still spin: it must reach another thread. */
  static async open(options: EngineOptions, onBroken: (reason: string) => void): Promise<Engine> {
    const engine = new Engine(options, onBroken);
    try {
      await engine.database.waitReady;
    } catch (error) {
      throw new EngineBrokenError(engine.broken ?? (error instanceof Error ? error.message : String(error)), {
        cause: error,
      });
    }
    return engine;
  }

  /** The complete answer to some protocol messages. @throws {EngineBrokenError} after which nothing can be asked. */
  async ask(messages: Buffer): Promise<Buffer> {
    const chunks: Buffer[] = [];
    try {
      await this.database.execProtocolRawStream(messages, {
        // The chunk is a view of the engine's memory, which the next one overwrites.
        onRawData: (chunk) => void chunks.push(Buffer.from(chunk)),
      });
    } catch (error) {
      this.broken ??= error instanceof Error ? error.message : String(error);
    }
    if (this.broken !== null) throw new EngineBrokenError(this.broken);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  async dump(file: string): Promise<void> {
    const dump = await this.database.dumpDataDir('none');
    await writeFile(file, Buffer.from(await dump.arrayBuffer()));
  }

  /**
   * Copies the files to `snapshotDirectory`. Between two statements they equal those of a killed engine: another engine
   * recovers everything committed. The caller holds the mutex.
   */
  async copyFiles(signal: AbortSignal): Promise<void> {
    if (this.directory === null) throw new Error('this database is in memory and has no files');
    await copyDataFiles(this.directory, snapshotDirectory(this.directory), signal);
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  private overhear(line: string): boolean {
    const words = LAST_WORDS.exec(line)?.[1];
    if (words !== undefined && this.broken === null) {
      this.broken = words;
      this.onBroken(words);
    }
    return true;
  }
}

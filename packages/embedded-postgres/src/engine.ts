import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { unaccent } from '@electric-sql/pglite/contrib/unaccent';
import { copyDataFiles, snapshotDirectory } from './data-files';

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

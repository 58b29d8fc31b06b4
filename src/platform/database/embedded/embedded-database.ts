import { Logger } from '@nestjs/common';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DirectoryInUseError, DirectoryLock, isHeld, readLock } from './directory-lock';
import { EngineThread } from './engine-thread';
import { makeSocketDirectory, removeSocketDirectory, socketPath, urlOf } from './socket-directory';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Milliseconds before 55P03 for whoever waits behind an idle transaction. */
  readonly waitMs?: number;
  /** Milliseconds a transaction may sit idle. */
  readonly idleLimitMs?: number;
  /** A dump to begin with where there is no data yet. */
  readonly template?: string;
  /** The compiled `embedded.worker`; elsewhere only where this file itself runs uncompiled. */
  readonly workerFile?: string;
}

export interface EmbeddedDatabase {
  /** For `pg`, TypeORM and psql alike. */
  readonly url: string;
  /** Writes an uncompressed tar of the whole database. */
  dump(file: string): Promise<void>;
  close(): Promise<void>;
}

const WAIT = 5_000;
const IDLE_LIMIT = 60_000;
/** An engine that breaks more often than this within a minute is not worth another start. */
const MOST_RESTARTS = 3;
const STARTING_PATIENCE = 30_000;

const lockFile = (dataDir: string): string => resolve(dataDir, 'database.lock');

/** Starts the engine on a data directory of its own. @throws {DirectoryInUseError} when another process has it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = lockFile(dataDir);
  const stale = readLock(file);
  const lock = DirectoryLock.acquire(file);
  if (stale?.url) removeSocketDirectory(stale.url);
  try {
    const directory = makeSocketDirectory(dataDir);
    const keeper = new EngineKeeper({ ...options, dataDir }, directory);
    await keeper.start();
    const url = urlOf(directory);
    lock.announce(url);
    const close = async (): Promise<void> => {
      await keeper.close();
      removeSocketDirectory(url);
      lock.release();
    };
    return { url, dump: (to) => keeper.dump(to), close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where another process serves this data directory; null when none does. Waits for one that is still starting. */
export async function runningEmbeddedUrl(dataDir: string): Promise<string | null> {
  const file = lockFile(dataDir);
  for (const deadline = performance.now() + STARTING_PATIENCE; performance.now() < deadline; await sleep(100)) {
    const lock = readLock(file);
    if (lock === null || !isHeld(file, lock)) return null;
    if (lock.url !== null) return lock.url;
  }
  const lock = readLock(file);
  if (lock === null) return null;
  throw new DirectoryInUseError(file, lock);
}

/** Keeps an engine running: one that breaks is replaced by another on the same files, which recovers them. */
class EngineKeeper {
  private readonly logger = new Logger('EmbeddedDatabase');
  private readonly directory: string;
  private thread: EngineThread | null = null;
  private restarts: number[] = [];
  private closing = false;

  constructor(
    private readonly options: EmbeddedOptions,
    private readonly socketDirectory: string,
  ) {
    this.directory = join(options.dataDir, 'postgres');
  }

  async start(): Promise<void> {
    await firstStart(this.directory, (first) => this.run(first ? this.options.template : undefined));
  }

  async dump(file: string): Promise<void> {
    if (!this.thread) throw new Error('The embedded database does not run');
    await this.thread.dump(file);
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.thread?.close();
  }

  private async run(template?: string): Promise<void> {
    const path = socketPath(this.socketDirectory);
    rmSync(path, { force: true });
    const thread = await EngineThread.start(this.options.workerFile ?? join(__dirname, 'embedded.worker.js'), {
      directory: this.directory,
      ...(template === undefined ? {} : { template }),
      socketPath: path,
      waitMs: this.options.waitMs ?? WAIT,
      idleLimitMs: this.options.idleLimitMs ?? IDLE_LIMIT,
    });
    this.thread = thread;
    void thread.broken.then((reason) => this.replace(thread, reason));
  }

  private async replace(thread: EngineThread, reason: string): Promise<void> {
    if (this.closing) return;
    this.thread = null;
    this.logger.error(`The engine broke: ${reason}`);
    await thread.kill();
    const now = performance.now();
    this.restarts = [...this.restarts.filter((at) => now - at < 60_000), now];
    if (this.restarts.length > MOST_RESTARTS) {
      this.logger.error('The engine breaks again and again; it stays down');
      return;
    }
    await this.run().then(
      () => this.logger.warn('The engine runs again, recovered from its log'),
      (error: Error) => this.logger.error(`The engine cannot start again: ${error.message}`),
    );
  }
}

/** A directory whose creation was interrupted has never served anybody: it is made anew. */
async function firstStart(directory: string, start: (first: boolean) => Promise<void>): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) rmSync(directory, { recursive: true, force: true });
  const first = !existsSync(directory);
  if (first) writeFileSync(unfinished, '');
  await start(first);
  if (first) rmSync(unfinished, { force: true });
}

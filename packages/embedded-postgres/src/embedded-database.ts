import { OperatorError } from '@bellwether/kernel';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DirectoryInUseError, DirectoryLock, holderOf, isOwn, readLock } from './directory-lock';
import { type EngineLogger, EngineSupervisor } from './engine-supervisor';
import { makeSocketDirectory, removeTemporarySocket, socketPath, urlOf } from './socket-directory';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Milliseconds that a session waits behind an idle transaction before error 55P03. */
  readonly waitMs?: number;
  /** Milliseconds a transaction may sit idle. */
  readonly idleLimitMs?: number;
  /** Dump that a new database starts from. */
  readonly template?: string;
  /** The compiled `embedded.worker`; elsewhere only where this file itself runs uncompiled. */
  readonly workerFile?: string;
  /** Hears of waits, failures and restarts. The console by default. */
  readonly logger?: EngineLogger;
  /** Called with the directory of the data before it is opened: takes it from other users of the machine. */
  readonly keepPrivate?: (directory: string) => void;
}

export interface EmbeddedDatabase {
  readonly url: string;
  /** Writes an uncompressed tar of the whole database. */
  dump(file: string): Promise<void>;
  close(): Promise<void>;
}

const WAIT = 5_000;
const IDLE_LIMIT = 60_000;
const STARTING_PATIENCE = 30_000;
/** Recovering from the log writes up to a segment or two. */
const LEAST_FREE_MB = 64;

export const databaseLockFile = (dataDir: string): string => resolve(dataDir, 'database.lock');

/** Starts the engine on a data directory of its own. @throws {DirectoryInUseError} when another process has it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  options.keepPrivate?.(join(dataDir, 'postgres'));
  const file = databaseLockFile(dataDir);
  const logger = options.logger ?? console;
  const lock = await DirectoryLock.acquire(file, () =>
    logger.log(`${file} names a process that cannot be looked up; waiting 10 s for a sign of it`),
  );
  const { predecessor } = lock;
  // A copied lock names the socket of a service that may be running.
  if (predecessor !== null && isOwn(file, predecessor)) removeTemporarySocket(predecessor.token);
  try {
    const directory = makeSocketDirectory(dataDir, lock.token);
    return await serve({ ...options, logger }, dataDir, directory, lock).catch((error: unknown) => {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function serve(
  { waitMs = WAIT, idleLimitMs = IDLE_LIMIT, template, ...options }: EmbeddedOptions & { logger: EngineLogger },
  dataDir: string,
  socketDirectory: string,
  lock: DirectoryLock,
): Promise<EmbeddedDatabase> {
  const supervisor = new EngineSupervisor(
    {
      waitMs,
      idleLimitMs,
      ...(template === undefined ? {} : { template }),
      directory: join(dataDir, 'postgres'),
      socketPath: socketPath(socketDirectory),
    },
    options,
  );
  await supervisor.start().catch((error: Error) => {
    const { bavail, bsize } = statfsSync(dataDir);
    const free = Math.floor((bavail * bsize) / 1024 / 1024);
    throw new OperatorError(
      `The embedded database in ${join(dataDir, 'postgres')} cannot be opened: ${error.message}. ` +
        (free < LEAST_FREE_MB
          ? `Only ${free} MB of its disk are free: free some space and start again.`
          : 'If it is damaged, restore a backup: docs/guide/backup.md'),
      { cause: error },
    );
  });
  const url = urlOf(socketDirectory);
  lock.announce(url);
  const close = async (): Promise<void> => {
    await supervisor.close();
    rmSync(socketDirectory, { recursive: true, force: true });
    lock.release();
  };
  return { url, dump: (file) => supervisor.dump(file), close };
}

/** URL of the process that serves this data directory; null when none does. Waits for one that is still starting. */
export async function runningEmbeddedUrl(dataDir: string): Promise<string | null> {
  const file = databaseLockFile(dataDir);
  for (const deadline = performance.now() + STARTING_PATIENCE; performance.now() < deadline; await sleep(100)) {
    const lock = await holderOf(file);
    if (lock === null) return null;
    if (lock.url !== null) return lock.url;
  }
  const lock = readLock(file);
  if (lock === null) return null;
  throw new DirectoryInUseError(file, lock);
}

import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyDataFiles, exportDirectory, sizeOfFiles, snapshotDirectory } from './data-files';
import { DirectoryInUseError, DirectoryLock } from './directory-lock';
import { databaseLockFile, runningEmbeddedUrl } from './embedded-database';
import { socketPath } from './socket-directory';
import { DISK_FULL, requestSnapshot } from './wire/snapshot-request';

export interface Snapshot {
  /** A data directory in its own right, for `startEmbedded`. */
  readonly dataDir: string;
  readonly takenAt: Date;
  /** URL of the engine that kept serving; null when none ran. */
  readonly servedAt: string | null;
  /** Deletes it. */
  remove(): Promise<void>;
}

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/** Recovering and reading the copy writes a little more. */
const SPACE_TO_WORK = 64 * 1024 * 1024;

const bytesFree = async (directory: string): Promise<number> => {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
};

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`;

/**
 * A consistent copy of the embedded database, beside a running server or without one. Sessions wait only while the
 * files are copied. One copy at a time per data directory.
 * @throws when there is no database, too little space, or another copy is running.
 */
export async function takeSnapshot(given: string, options: SnapshotOptions): Promise<Snapshot> {
  const dataDir = resolve(given);
  const source = join(dataDir, 'postgres');
  if (!existsSync(source) || existsSync(`${source}.unfinished`)) {
    throw new Error(`There is no embedded database in ${dataDir}`);
  }
  const copy = exportDirectory(dataDir);
  const lock = await lockCopy(`${copy}.lock`);
  const remove = async (): Promise<void> => {
    await rm(copy, { recursive: true, force: true });
    lock.release();
  };
  try {
    // Remains of a killed export.
    await rm(copy, { recursive: true, force: true });
    await assertSpace(source, dataDir, options.freeBytes ?? bytesFree);
    await mkdir(copy, { mode: 0o700 });
    await chmod(copy, 0o700);
    const takenAt = new Date();
    const servedAt = await copyFrom(dataDir, source, options.signal);
    return { dataDir: copy, takenAt, servedAt, remove };
  } catch (error) {
    await remove();
    throw explained(error);
  }
}

async function lockCopy(file: string): Promise<DirectoryLock> {
  try {
    return await DirectoryLock.acquire(file);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    throw new Error(`Process ${error.holder.pid} is copying this database already`, { cause: error });
  }
}

async function assertSpace(
  source: string,
  dataDir: string,
  free: (directory: string) => Promise<number>,
): Promise<void> {
  const needed = (await sizeOfFiles(source)) + SPACE_TO_WORK;
  const there = await free(dataDir);
  if (there >= needed) return;
  throw new Error(`A copy needs ${megabytes(needed)} in ${dataDir}, and ${megabytes(there)} are free there`);
}

/** The process that has the files copies them; without one we copy under its lock. */
async function copyFrom(dataDir: string, source: string, signal: AbortSignal): Promise<string | null> {
  const url = await runningEmbeddedUrl(dataDir);
  if (url !== null) {
    await requestSnapshot(socketPath(new URL(url).searchParams.get('host') ?? ''), signal);
    return url;
  }
  const lock = await DirectoryLock.acquire(databaseLockFile(dataDir));
  try {
    await copyDataFiles(source, snapshotDirectory(source), signal);
  } finally {
    lock.release();
  }
  return null;
}

function explained(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return new Error(DISK_FULL, { cause: error });
  if (error instanceof DirectoryInUseError) {
    return new Error(`Process ${error.holder.pid} has the database and does not answer yet; try again`, {
      cause: error,
    });
  }
  return error;
}

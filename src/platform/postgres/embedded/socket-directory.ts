import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DATABASE_NAME, USER_NAME } from './wire/startup';

/** `pg`, libpq and psql look for this name in a directory given as host. */
const SOCKET_NAME = '.s.PGSQL.5432';
/** sun_path of a unix socket, less its terminator. */
const LONGEST_PATH = 107;
const TEMPORARY_PREFIX = 'bellwether-';

/** A private directory with a path short enough for a socket; inside the data directory if possible. */
export function makeSocketDirectory(dataDir: string): string {
  const preferred = join(dataDir, 'socket');
  if (Buffer.byteLength(join(preferred, SOCKET_NAME)) > LONGEST_PATH)
    return mkdtempSync(join(tmpdir(), TEMPORARY_PREFIX));
  rmSync(preferred, { recursive: true, force: true });
  mkdirSync(preferred, { mode: 0o700 });
  // The umask can only remove bits that mkdir set.
  chmodSync(preferred, 0o700);
  return preferred;
}

export const socketPath = (directory: string): string => join(directory, SOCKET_NAME);

export const urlOf = (directory: string): string =>
  `postgres://${USER_NAME}@localhost/${DATABASE_NAME}?host=${encodeURIComponent(directory)}`;

/** Removes the socket of a holder, and the directory made for it. */
export function removeSocketDirectory(url: string): void {
  const directory = new URL(url).searchParams.get('host');
  if (!directory) return;
  const own = basename(directory) === 'socket' || basename(directory).startsWith(TEMPORARY_PREFIX);
  if (own && dirname(directory) !== directory) rmSync(directory, { recursive: true, force: true });
}

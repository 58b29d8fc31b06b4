import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_NAME, USER_NAME } from './wire/startup';

/** `pg`, libpq and psql look for this name in a directory given as host. */
const SOCKET_NAME = '.s.PGSQL.5432';
/** sun_path of a unix socket, less its terminator. */
const LONGEST_PATH = 107;
/** Temporary directory of one holder of the lock; the end of its token is random. */
const temporaryOf = (token: string): string => join(tmpdir(), `bellwether-${token.slice(-12)}`);

/** A private directory with a path short enough for a socket; inside the data directory if possible. */
export function makeSocketDirectory(dataDir: string, token: string): string {
  const preferred = join(dataDir, 'socket');
  const fits = Buffer.byteLength(join(preferred, SOCKET_NAME)) <= LONGEST_PATH;
  const directory = fits ? preferred : temporaryOf(token);
  if (fits) rmSync(preferred, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  // The umask can only remove bits that mkdir set.
  chmodSync(directory, 0o700);
  return directory;
}

export const socketPath = (directory: string): string => join(directory, SOCKET_NAME);

export const urlOf = (directory: string): string =>
  `postgres://${USER_NAME}@localhost/${DATABASE_NAME}?host=${encodeURIComponent(directory)}`;

/** Removes what a dead holder left outside the data directory. Its address is not followed: it may have been copied. */
export const removeTemporarySocket = (token: string): void =>
  rmSync(temporaryOf(token), { recursive: true, force: true });

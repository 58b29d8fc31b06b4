import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { livenessOf, ownIdentity, type ProcessIdentity } from './process-identity';

export interface LockRecord extends ProcessIdentity {
  readonly token: string;
  /** URL at which the holder serves clients; null while it starts. */
  readonly url: string | null;
}

export class DirectoryInUseError extends Error {
  readonly code = 'directory_in_use';

  constructor(
    readonly file: string,
    readonly holder: LockRecord,
  ) {
    super(`${dirname(file)} is in use by process ${holder.pid}`);
    this.name = 'DirectoryInUseError';
  }
}

/** Milliseconds between updates of the lock file's time, which proves life to processes that cannot see the holder's. */
const HEARTBEAT = 2_000;
/** Milliseconds without an update after which a holder that cannot be looked up counts as dead. */
const SILENCE = 10_000;

/** An exclusive lock file. It stays after a crash; the next start takes over the lock of a dead process. */
export class DirectoryLock {
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private record: LockRecord,
  ) {
    this.heartbeat = setInterval(() => this.touch(), HEARTBEAT).unref();
  }

  /** @throws {DirectoryInUseError} */
  static acquire(file: string): DirectoryLock {
    const record: LockRecord = { ...ownIdentity(), token: randomUUID(), url: null };
    claim(file, record);
    return new DirectoryLock(file, record);
  }

  /** Publishes the URL of the holder. */
  announce(url: string): void {
    this.record = { ...this.record, url };
    replace(this.file, this.record);
  }

  release(): void {
    clearInterval(this.heartbeat);
    if (readLock(this.file)?.token === this.record.token) rmSync(this.file, { force: true });
  }

  private touch(): void {
    const now = new Date();
    try {
      utimesSync(this.file, now, now);
    } catch {
      // The file was removed. The next start notices it.
    }
  }
}

/** The lock's record, or null when nobody holds it. */
export function readLock(file: string): LockRecord | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockRecord;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} cannot be read as a lock; remove it if no process uses the directory`, { cause: error });
  }
}

export function isHeld(file: string, record: LockRecord): boolean {
  const liveness = livenessOf(record);
  if (liveness !== 'unknown') return liveness === 'alive';
  try {
    return Date.now() - statSync(file).mtimeMs < SILENCE;
  } catch {
    return false;
  }
}

/**
 * Creates the complete file in one step: `link` fails when it exists. Replacing the file of a dead holder needs a
 * second lock, named after its token. One process gets that lock; later ones see that the token has changed.
 */
function claim(file: string, record: LockRecord): void {
  for (;;) {
    if (create(file, record)) return;
    const found = readLock(file);
    if (found === null) continue;
    if (isHeld(file, found)) throw new DirectoryInUseError(file, found);
    const takeover = `${file}.${found.token}`;
    claim(takeover, record);
    try {
      if (readLock(file)?.token !== found.token) continue;
      replace(file, record);
      return;
    } finally {
      rmSync(takeover, { force: true });
    }
  }
}

function create(file: string, record: LockRecord): boolean {
  const draft = writeDraft(file, record);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(file: string, record: LockRecord): void {
  renameSync(writeDraft(file, record), file);
}

function writeDraft(file: string, record: LockRecord): string {
  const draft = `${file}.${record.token}.draft`;
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
  return draft;
}

import { OperatorError } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Tells later whether the same process still runs, even after its pid was reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot of the machine, and container: the scope of a pid. */
  readonly realm: string;
  /** Start of the process in kernel ticks; empty without /proc. */
  readonly startTime: string;
}

type Liveness = 'alive' | 'dead' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, realm: realm(), startTime: statOf(process.pid)?.startTime ?? '' };
}

/** `unknown` for a process of another machine, boot or container. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.realm !== realm()) return 'unknown';
  if (!exists(identity.pid)) return 'dead';
  const stat = statOf(identity.pid);
  if (stat === null) return 'alive';
  return stat.startTime === identity.startTime && !stat.ended ? 'alive' : 'dead';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function realm(): string {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const container = tryRead(() => readlinkSync('/proc/self/ns/pid'));
  return `${boot ?? hostname()} ${container ?? ''}`.trim();
}

interface Stat {
  readonly startTime: string;
  /** A zombie: its parent has not reaped it, and some container init processes never do. */
  readonly ended: boolean;
}

/** Fields 3 and 22 of /proc/<pid>/stat; the command name before them may itself contain spaces and parentheses. */
function statOf(pid: number): Stat | null {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { startTime: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
}

function tryRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export interface LockRecord extends ProcessIdentity {
  readonly token: string;
  /** URL at which the holder serves clients; null while it starts. */
  readonly url: string | null;
  /** Device and inode of the locked directory: a copy of the file names another one. Absent in locks of older builds. */
  readonly folder?: string;
}

export class DirectoryInUseError extends OperatorError {
  readonly code = 'directory_in_use';

  constructor(
    readonly file: string,
    readonly holder: LockRecord,
  ) {
    super(`${dirname(file)} is in use by process ${holder.pid}. Stop that process, or set DATA_DIR to another folder.`);
  }
}

/** Milliseconds between updates of the lock file's time, which proves life to processes that cannot see the holder's. */
const HEARTBEAT = 2_000;
/** Milliseconds without an update after which a holder that cannot be looked up counts as dead. */
const SILENCE = 10_000;
const POLL = 100;

/** An exclusive lock file. It stays after a crash; the next start takes over the lock of a dead process. */
export class DirectoryLock {
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private record: LockRecord,
    /** The dead holder whose lock was taken over. */
    readonly predecessor: LockRecord | null,
  ) {
    this.heartbeat = setInterval(() => this.touch(), HEARTBEAT).unref();
  }

  get token(): string {
    return this.record.token;
  }

  /** `waits` is called when the holder cannot be looked up, before up to 10 s pass. @throws {DirectoryInUseError} */
  static async acquire(file: string, waits?: () => void): Promise<DirectoryLock> {
    const record: LockRecord = { ...ownIdentity(), token: randomUUID(), url: null, folder: folderOf(file) };
    return new DirectoryLock(file, record, await claim(file, record, waits));
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

/** Whether the lock was written in this directory, as opposed to copied into it. */
export const isOwn = (file: string, { folder }: LockRecord): boolean => folder === folderOf(file);

/**
 * The process that holds the lock; null when none does. A heartbeat must prove the life of a holder in another
 * container, and of one whose lock may have been copied here with its directory: that takes up to 10 s.
 */
export async function holderOf(file: string, waits?: () => void): Promise<LockRecord | null> {
  let seen = look(file);
  let since = performance.now();
  if (seen?.isAlive === false) waits?.();
  while (seen?.isAlive === false) {
    await sleep(POLL);
    const next = look(file);
    if (next?.record.token !== seen.record.token) since = performance.now();
    else if (next.changedAt !== seen.changedAt) return next.record;
    if (performance.now() - since >= SILENCE) return null;
    seen = next;
  }
  return seen?.record ?? null;
}

interface Sight {
  readonly record: LockRecord;
  readonly changedAt: number;
  /** False for a holder that cannot be looked up. */
  readonly isAlive: boolean;
}

/** Null for a lock that nobody holds. */
function look(file: string): Sight | null {
  const record = readLock(file);
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (record === null || changedAt === undefined) return null;
  const liveness = livenessOf(record);
  if (liveness === 'dead') return null;
  const isAlive = liveness === 'alive' && (record.folder === undefined || isOwn(file, record));
  return isAlive || Date.now() - changedAt < SILENCE ? { record, changedAt, isAlive } : null;
}

const folderOf = (file: string): string => {
  const { dev, ino } = statSync(dirname(file), { bigint: true });
  return `${dev}:${ino}`;
};

/**
 * Creates the complete file in one step: `link` fails when it exists. Replacing the file of a dead holder needs a
 * second lock, named after its token. One process gets that lock; later ones see that the token has changed.
 * Returns the record that was replaced.
 */
async function claim(file: string, record: LockRecord, waits?: () => void): Promise<LockRecord | null> {
  for (;;) {
    if (create(file, record)) return null;
    const found = readLock(file);
    if (found === null) continue;
    const holder = await holderOf(file, waits);
    if (holder !== null) throw new DirectoryInUseError(file, holder);
    const takeover = `${file}.${found.token}`;
    await claim(takeover, record);
    try {
      if (readLock(file)?.token !== found.token) continue;
      replace(file, record);
      return found;
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

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Tells later whether the same process still runs, even after its pid was reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot of the machine, and container: the scope of a pid. */
  readonly realm: string;
  /** Start of the process in kernel ticks; empty without /proc. */
  readonly startTime: string;
}

export type Liveness = 'alive' | 'dead' | 'unknown';

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

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Enough to tell later whether the same process still runs, also after its pid has been given to another one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Which boot of which machine, and which container on it: where a pid means something. */
  readonly realm: string;
  /** When the process started, in the kernel's own ticks; empty where /proc does not tell. */
  readonly startTime: string;
}

export type Liveness = 'alive' | 'dead' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, realm: realm(), startTime: startTimeOf(process.pid) ?? '' };
}

/** `unknown` for a process of another machine, boot or container, about which the kernel here can say nothing. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.realm !== realm()) return 'unknown';
  if (!exists(identity.pid)) return 'dead';
  const startTime = startTimeOf(identity.pid);
  return startTime === null || startTime === identity.startTime ? 'alive' : 'dead';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function realm(): string {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const container = tryRead(() => readlinkSync('/proc/self/ns/pid'));
  return `${boot ?? hostname()} ${container ?? ''}`.trim();
}

/** Field 22 of /proc/<pid>/stat; the command name before it may itself contain spaces and parentheses. */
function startTimeOf(pid: number): string | null {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function tryRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

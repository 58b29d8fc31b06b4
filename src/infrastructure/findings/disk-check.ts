import { mkdir, mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { finding } from './findings';
import type { Finding } from './finding.types';

const MEGABYTE = 1024 * 1024;
/** Below this, the next upload or vacuum may fail. */
const FULL = 256 * MEGABYTE;
const LITTLE = 1024 * MEGABYTE;
const LITTLE_SHARE = 0.05;

/** Makes and removes a folder: permissions do not show a file system that is mounted read-only. */
export async function checkDisk(dataDir: string): Promise<Finding> {
  try {
    // The first upload would make it.
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await rmdir(await mkdtemp(join(dataDir, '.health-')));
  } catch (error) {
    return finding('disk.read_only', { reason: (error as NodeJS.ErrnoException).code ?? 'unknown' });
  }
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const megabytes = Math.round(free / MEGABYTE);
  if (free < FULL) return finding('disk.full', { megabytes });
  return free < LITTLE && bavail < blocks * LITTLE_SHARE
    ? finding('disk.little', { megabytes })
    : finding('disk.ok', { megabytes });
}

import { chmodSync, statSync } from 'node:fs';
import { Logger } from '@nestjs/common/services/logger.service.js';

const OTHERS = 0o077;

/**
 * Removes the permissions of group and others from a file or directory that holds secrets, and logs it. Directories made
 * by operators or images are often world-readable.
 */
export function keepPrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0) return;
  const logger = new Logger('DataDirectory');
  try {
    chmodSync(path, found.isDirectory() ? 0o700 : 0o600);
    logger.warn(`${path} was open to other users of this machine; it is closed to them now`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    logger.warn(`${path} is open to other users of this machine and cannot be closed (${code}): change its mode`);
  }
}

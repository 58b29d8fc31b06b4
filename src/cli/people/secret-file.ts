import { constants, fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { BadUsage } from '../output';

const OTHERS = 0o077;
const STANDARD_OUTPUT = 1;

const tooOpen = (name: string, remedy: string): BadUsage =>
  new BadUsage(`${name} can be read by other users of this machine: ${remedy}`);

/**
 * Opens a file that only its owner may read, and does not follow a link.
 * @throws {BadUsage} for a file that others may read, and for what is no file
 */
export async function openSecretFile(path: string): Promise<FileHandle> {
  const { O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw new BadUsage(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  const stat = await file.stat();
  if (stat.isFile() && (stat.mode & OTHERS) === 0) {
    await file.truncate();
    return file;
  }
  await file.close();
  throw stat.isFile() ? tooOpen(path, `chmod 600 ${path}`) : new BadUsage(`${path} is not a file`);
}

/** @throws {BadUsage} where standard output is redirected into a file that others may read */
export function assertSecretOutput(descriptor = STANDARD_OUTPUT): void {
  const stat = fstatSync(descriptor);
  if (stat.isFile() && (stat.mode & OTHERS) !== 0) {
    throw tooOpen('The file behind standard output', 'name the file after --csv instead');
  }
}

import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Exits with 98 if the code can still be written. */
const SCRIPT = `
  code=$1; writable=$2; shift 2
  mkdir -p "$writable"
  mount --make-rprivate / && mount --bind "$writable" "$writable" && mount --bind "$code" "$code" || exit 97
  mount -o remount,bind,ro "$code" && mount -o remount,bind,ro / || exit 97
  touch "$code/.written" 2>/dev/null && exit 98
  exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;

/** Whether this process may create mount namespaces and drop capabilities. */
export const mayReadOnly = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;

/**
 * The command in its own mount namespace, as containers run it: without capabilities, on a file system that is read-only
 * except for one folder.
 */
export const readOnly = (writable: string, command: readonly string[]): string[] => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  SCRIPT,
  'sh',
  ROOT,
  writable,
  ...command,
];

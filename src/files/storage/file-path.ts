const DRIVE = /^[a-z]:/i;

/**
 * Why `ref` is not a valid file path; null when it is. A path is only compared with stored names, so `notes..v2.txt` is
 * valid. `a/../b` is not, because it looks as if it could leave a folder.
 */
export function pathProblem(ref: string): string | null {
  if (ref === '') return 'is empty';
  if (ref.length > 1024) return 'is too long';
  if (!ref.isWellFormed()) return 'is not valid Unicode';
  if ([...ref].some((character) => character < ' ' || character === '\u007f')) return 'holds a control character';
  if (ref.includes('\\')) return 'holds a backslash';
  if (ref.startsWith('/') || DRIVE.test(ref)) return 'is absolute';
  if (ref.split('/').some((part) => part === '' || part === '.' || part === '..')) return 'leaves the file space';
  return null;
}

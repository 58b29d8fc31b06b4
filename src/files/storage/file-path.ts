const DRIVE = /^[a-z]:/i;

/**
 * Why `ref` cannot name a file of its owner's space, or null. A path is a label that must equal a stored name exactly, so
 * these rules keep anyone from believing that a path walks: `notes..v2.txt` is a name, `a/../b` is not.
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

/** One spelling per name: composed characters, so that a name typed on another system is found. */
export const normalisedName = (name: string): string => name.normalize('NFC');

import { importedName } from './file-import';

describe('importedName', () => {
  it.each([
    ['1/notes.md', '1/notes.md'],
    ['./1//notes.md', '1/notes.md'],
    ['1/notes..v2.txt', '1/notes..v2.txt'],
    ['1/a\\b\t.md', '1/a_b_.md'],
    ['1/cafe\u0301.md', '1/café.md'],
  ])('of %j is %j', (path, name) => expect(importedName(path)).toEqual({ ok: true, name }));

  it.each([[''], ['.'], ['/etc/passwd'], ['../x'], ['1/../../x'], ['C:/x'], ['1/\ud800'], ['x'.repeat(1025)]])(
    'is none of %j',
    (path) => expect(importedName(path).ok).toBe(false),
  );
});

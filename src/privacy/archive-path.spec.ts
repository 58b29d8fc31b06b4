import { archivePath } from './person-export.service';

describe('a path in the archive', () => {
  it.each([
    ['notes/week 1.md', 'files/notes/week 1.md'],
    ['../../etc/passwd', 'files/etc/passwd'],
    ['a\\..\\b.txt', 'files/a/b.txt'],
    ['what? "now".md', 'files/what_ _now_.md'],
    ['...', 'files/file'],
  ])('of %j is %j', (name, path) => expect(archivePath('files', name, new Set())).toBe(path));

  it('is unique, also where upper and lower case are one', () => {
    const taken = new Set<string>();
    expect(['a.md', 'A.md', 'a.md'].map((name) => archivePath('files', name, taken))).toEqual([
      'files/a.md',
      'files/A (2).md',
      'files/a (3).md',
    ]);
  });
});

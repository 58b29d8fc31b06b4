import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseName, isImage, isText, listing, merged, type StoredFile, trail } from './file-tree';

const file = (path: string, type = 'text/plain'): StoredFile => ({ id: path, path, content_type: type }) as StoredFile;
const files = ['a.md', 'week1/b.md', 'week1/lab/c.md', 'week10/d.md'].map((path) => file(path));

describe('folders by paths', () => {
  it('show what is in them, and folders once with how much is below', () => {
    const top = listing(files, '');
    expect(top.folders.map(({ path, count }) => `${path} ${count}`)).toEqual(['week1 2', 'week10 1']);
    expect(top.files.map(({ path }) => path)).toEqual(['a.md']);
    const inside = listing(files, 'week1');
    expect(inside.folders.map(({ path, name }) => `${path} ${name}`)).toEqual(['week1/lab lab']);
    expect(inside.files.map(({ path }) => path)).toEqual(['week1/b.md']);
  });

  it('lose no file and show none twice', () => {
    const part = fc.constantFrom('a', 'b', 'ab');
    const paths = fc.uniqueArray(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(paths, (all) => {
        const stored = all.map((path) => file(path));
        const walk = (folder: string): string[] => {
          const { folders, files: here } = listing(stored, folder);
          return [...here.map(({ path }) => path), ...folders.flatMap(({ path }) => walk(path))];
        };
        expect(walk('').sort()).toEqual([...all].sort());
      }),
    );
  });

  it('name every folder on the way', () => {
    expect(trail('week1/lab').map(({ path }) => path)).toEqual(['week1', 'week1/lab']);
    expect(trail('')).toEqual([]);
    expect(baseName('week1/lab/c.md')).toBe('c.md');
  });
});

it('puts uploaded files in their places, a replaced one once', () => {
  expect(merged(files, [file('a.md'), file('Z.md')]).map(({ path }) => path)).toEqual([
    'Z.md',
    'a.md',
    'week1/b.md',
    'week1/lab/c.md',
    'week10/d.md',
  ]);
});

it('shows text and harmless images only', () => {
  expect(['text/markdown', 'application/json'].every((type) => isText(file('x', type)))).toBe(true);
  expect(isText(file('x', 'application/pdf'))).toBe(false);
  expect(isImage(file('x', 'image/png'))).toBe(true);
  expect(isImage(file('x', 'image/svg+xml'))).toBe(false);
});

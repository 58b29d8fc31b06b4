import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '../..');
const ANY_PART = /\bbuilt\(/g;
const PART = /const \{([^}]+)\} = built\(\s*'([^']+)'/g;
const IMPORT = /^import (?:\{([^}]+)\}|\* as \w+|\w+)(?:, \{([^}]+)\})? from '(\.[^']+\.mjs)'/gm;

/** Programs that no compiler follows: they are JavaScript, and load the build or each other. */
const PROGRAMS = ['bench', 'test/cluster'].flatMap((folder) =>
  readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.mjs') && !file.includes('node_modules') && !file.startsWith('peers'))
    .map((file) => join(folder, file)),
);
const textOf = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');
const namesIn = (list = ''): string[] => list.split(',').flatMap((name) => name.trim().split(' as ')[0] || []);
const isExported = (name: string, text: string): boolean =>
  new RegExp(`^export (?:abstract |async )?(?:class|function\\*?|const|let) ${name}\\b`, 'm').test(text) ||
  new RegExp(`^export (?:const )?\\{[^}]*\\b${name}\\b[^}]*\\}`, 'm').test(text);

interface Wanted {
  readonly by: string;
  readonly file: string;
  readonly name: string;
}
const missing = (all: readonly Wanted[]): readonly Wanted[] =>
  all.filter(({ file, name }) => !isExported(name, textOf(file)));

describe('benchmarks and the cluster run', () => {
  const partsOf = (by: string): Wanted[] =>
    [...textOf(by).matchAll(PART)].flatMap(([, names, file = '']) =>
      namesIn(names).map((name) => ({ by, file: `${file}.ts`, name })),
    );

  it('name parts of the service that its source has', () => {
    const parts = PROGRAMS.flatMap(partsOf);
    expect(parts).not.toEqual([]);
    expect(missing(parts)).toEqual([]);
  });

  it('name them in the one way that this test reads', () => {
    const users = PROGRAMS.filter((file) => !file.endsWith('lib/built.mjs'));
    const unread = users.filter((file) => {
      const text = textOf(file);
      return [...text.matchAll(ANY_PART)].length !== [...text.matchAll(PART)].length;
    });
    expect(unread).toEqual([]);
  });

  it('import names that their other files have', () => {
    const imports = PROGRAMS.flatMap((by) =>
      [...textOf(by).matchAll(IMPORT)].flatMap(([, names, more, path = '']) =>
        [...namesIn(names), ...namesIn(more)].map((name) => ({ by, file: join(dirname(by), path), name })),
      ),
    );
    expect(imports).not.toEqual([]);
    expect(missing(imports)).toEqual([]);
  });
});

describe('pages that quote benchmarks', () => {
  it.each(['bench/publish.mjs', 'bench/core.mjs'])('show what was measured, as %s writes it', (program) => {
    const { status, stderr } = spawnSync(process.execPath, [program, '--check'], { cwd: root, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

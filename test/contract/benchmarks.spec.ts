import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const PART = /const \{([^}]+)\} = built\(\s*'([^']+)'/g;

/** Parts of the service that benchmarks name, which no compiler follows: they are JavaScript and load the build. */
function named(): { where: string; file: string; name: string }[] {
  const files = readdirSync(join(root, 'bench'), { encoding: 'utf8', recursive: true });
  const own = files.filter((file) => file.endsWith('.mjs') && !file.includes('node_modules'));
  return own.flatMap((where) =>
    [...readFileSync(join(root, 'bench', where), 'utf8').matchAll(PART)].flatMap(([, names = '', file = '']) =>
      names.split(',').map((name) => ({ where, file, name: name.trim() })),
    ),
  );
}

describe('benchmarks', () => {
  it('name parts that the source has', () => {
    const missing = named().filter(({ file, name }) => {
      const source = join(root, `${file}.ts`);
      const exported = new RegExp(`^export (?:abstract |async )?(?:class|function|const) ${name}\\b`, 'm');
      return !existsSync(source) || !exported.test(readFileSync(source, 'utf8'));
    });
    expect(missing).toEqual([]);
    expect(named().length).toBeGreaterThan(30);
  });
});

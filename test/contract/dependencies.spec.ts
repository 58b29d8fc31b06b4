import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const DECISION = readFileSync(join(ROOT, 'docs/adr/0003-direct-dependencies.md'), 'utf8');

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const packageIn = (folder: string): Package =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Package;
const PACKAGES = ['.', ...readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name))].map(packageIn);

/** Names in the first column of the table. */
const listed = new Set(
  [...DECISION.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  ),
);
const namesOf = (kind: keyof Package): readonly string[] =>
  PACKAGES.flatMap((each) => Object.keys(each[kind] ?? {})).filter((name) => !name.startsWith('@bellwether/'));

describe('ADR-0003', () => {
  it('lists every library that the service or one of its packages depends on', () => {
    expect(namesOf('dependencies').filter((name) => !listed.has(name))).toEqual([]);
  });

  it('lists no library that nothing depends on any more', () => {
    const used = [...namesOf('dependencies'), ...namesOf('devDependencies')];
    expect([...listed].filter((name) => !used.includes(name))).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Rows that name a test: advisory, what went wrong, file, scenario. */
const rows = read('docs/contributing/advisories.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, advisory = '', , test = '', scenario = '']) => {
    const file = /^`(\S+)`$/.exec(test)?.[1];
    return file === undefined ? [] : [{ advisory, file, scenario }];
  });

/** Quoted texts that a call of `it` or `describe`, or its table, can hold. */
const isNamed = (source: string, scenario: string): boolean =>
  source.split('\n').some((line) => /['"`]/.test(line) && line.includes(scenario));

describe('docs/contributing/advisories.md', () => {
  it('names a test in every row', () => {
    const table = read('docs/contributing/advisories.md').match(/^\| (?:CVE|GHSA|none)/gm) ?? [];
    expect(table.length).toBeGreaterThan(30);
    expect(rows).toHaveLength(table.length);
  });

  it.each(rows)('$advisory: $file has the scenario “$scenario”', ({ file, scenario }) => {
    expect(scenario).not.toBe('');
    expect(isNamed(read(file), scenario)).toBe(true);
  });

  it('does not find a scenario that was renamed', () => {
    expect(isNamed("it('is refused', () => {});", 'was accepted')).toBe(false);
  });
});

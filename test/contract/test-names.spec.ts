// Names of tests are read in reports, far from their file: with its `describe`, each is a sentence that stands alone.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const FILES = execFileSync('git', ['ls-files', '*.spec.ts'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const NAMED = /^( *)(?:it|test|describe)(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\2)[^\\])*)\2,/gm;
const LACKS_SUBJECT =
  /^(?:is|are|was|were|has|have|does|and|or|but|that|which|whose|of|by|it|its|they|their|them|he|she|also|else|then)\b/i;
/** The name of a rule before the sentence, which then needs a table beside it. */
const BEGINS_WITH_CODE = /^[A-Z]{1,2}\d+\b(?! *(?:→|:))/;

interface Named {
  readonly file: string;
  readonly name: string;
  readonly isOutermost: boolean;
}
const namesIn = (file: string): readonly Named[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(NAMED)].map(([, indent = '', , name = '']) => ({
    file,
    name,
    isOutermost: indent === '',
  }));
const NAMES = FILES.flatMap(namesIn);

describe('names of tests', () => {
  it('are found', () => {
    expect(NAMES.length).toBeGreaterThan(1_000);
  });

  it('have a subject where no `describe` gives one', () => {
    const outermost = NAMES.filter(({ isOutermost }) => isOutermost);
    expect(outermost.filter(({ name }) => LACKS_SUBJECT.test(name))).toEqual([]);
  });

  it('begin with no code', () => {
    expect(NAMES.filter(({ name }) => BEGINS_WITH_CODE.test(name))).toEqual([]);
  });
});

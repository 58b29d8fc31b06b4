import { LAMB_PROBLEM_CODES, NOT_TAKEN } from '@bellwether/lamb-reader';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFLICT_CODES, LEFT_OUT_CODES, NOTE_CODES } from './report-builder';

const reference = readFileSync(join(__dirname, '../../docs/reference/lamb-import.md'), 'utf8');

function codesUnder(heading: string): string[] {
  const [section = ''] = reference.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  return [...section.matchAll(/^\| `([a-z_.]+)` +\|/gm)].map(([, code = '']) => code);
}

describe('docs/reference/lamb-import.md', () => {
  it.each([
    ['Notes', NOTE_CODES],
    ['Conflicts', CONFLICT_CODES],
    ['Left out', LEFT_OUT_CODES],
    ['Problems of the file', LAMB_PROBLEM_CODES],
    ['Not taken', NOT_TAKEN],
  ])('explains every code under "%s", and no other', (heading, codes) => {
    expect(codesUnder(heading)).toEqual([...codes].sort());
  });
});

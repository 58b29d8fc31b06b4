import { definitionDiff } from './migration-planner.service';

const diff = (before: [string, string], after: [string, string], limit?: number): string[] =>
  definitionDiff(
    { metadata: before[0], promptTemplate: before[1] },
    { metadata: after[0], promptTemplate: after[1] },
    limit,
  );

describe('the difference of two definitions', () => {
  it('shows lines that changed, with two around', () => {
    const lines = Array.from({ length: 9 }, (_, n) => `line ${n}`);
    const changed = lines.with(4, 'other');
    expect(diff(['{}', lines.join('\n')], ['{}', changed.join('\n')])).toEqual([
      '--- prompt_template',
      '+++ prompt_template',
      '@@',
      ' line 2',
      ' line 3',
      '-line 4',
      '+other',
      ' line 5',
      ' line 6',
    ]);
  });

  it('compares JSON by its members, not by its white space', () => {
    expect(diff(['{"a":1}', ''], ['{ "a": 1 }', ''])).toEqual([]);
    expect(diff(['', ''], ['{"a":1}', ''])).toContain('+  "a": 1');
  });

  it('stays short, whatever is compared', () => {
    const long = (seed: string): string => Array.from({ length: 3_000 }, (_, n) => `${seed}${n}`).join('\n');
    const shown = diff(['no JSON', long('a')], ['no JSON', `${long('b')}${'x'.repeat(10_000)}`], 50);
    expect(shown).toHaveLength(51);
    expect(shown.at(-1)).toMatch(/^… \d+ more lines$/);
  });
});

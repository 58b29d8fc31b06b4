import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editsBetween, mapPosition, type TextEdit } from './edits';

const apply = (text: string, edits: readonly TextEdit[]): string =>
  edits.reduceRight((done, { from, to, insert }) => done.slice(0, from) + insert + done.slice(to), text);

const TEMPLATE = 'A {1_context} b {2_context} c {3_rubric} d';

describe('edits between two texts', () => {
  it('are one per renamed placeholder', () => {
    expect(editsBetween(TEMPLATE, 'A {1_context} b {3_context} c {2_rubric} d')).toEqual([
      { from: 17, to: 18, insert: '3' },
      { from: 31, to: 32, insert: '2' },
    ]);
  });

  it('make one text of the other', () => {
    const text = fc
      .array(fc.constantFrom('{1_context}', '{2_context}', '{1_rubric}', ' ', '\n', 'word', '{', '}', '12'), {
        maxLength: 30,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const edits = editsBetween(before, after);
        expect(apply(before, edits)).toBe(after);
        for (const [index, { from }] of edits.entries()) expect(from).toBeGreaterThanOrEqual(edits[index - 1]?.to ?? 0);
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(apply(before, editsBetween(before, after))).toBe(after);
      }),
    );
  });

  it('keep a caret on its word', () => {
    const after = 'A {10_context} b {3_context} c {2_rubric} d';
    const edits = editsBetween(TEMPLATE, after);
    for (const word of ['b', 'c', 'd']) {
      const at = TEMPLATE.indexOf(` ${word}`) + 1;
      expect(after[mapPosition(at, edits)]).toBe(word);
    }
    expect(mapPosition(0, edits)).toBe(0);
    expect(mapPosition(TEMPLATE.length, edits)).toBe(after.length);
  });

  it('are quick for another text of the same length', () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ');
    const after = Array.from({ length: 5_000 }, (_, index) => `v${index}`).join(' ');
    const started = performance.now();
    expect(apply(before, editsBetween(before, after))).toBe(after);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

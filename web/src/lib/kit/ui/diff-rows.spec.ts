import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffRow, diffRows } from './diff-rows';

const textOf = (row: DiffRow): string => (row.kind === 'gap' ? '' : row.parts.map(({ text }) => text).join(''));

describe('the lines of two texts', () => {
  it('are none when the texts are equal', () => {
    expect(diffRows('a\nb', 'a\nb')).toEqual([]);
  });

  it('show which words of a line differ', () => {
    expect(diffRows('Context A: {2_context}', 'Context A: {3_context}')).toEqual([
      {
        kind: 'removed',
        parts: expect.arrayContaining([expect.objectContaining({ changed: true })]) as unknown,
      },
      { kind: 'added', parts: expect.arrayContaining([expect.objectContaining({ text: 'Context A: {' })]) as unknown },
    ]);
  });

  it('pair lines by position: a renumbered neighbour is no removed line', () => {
    const rows = diffRows('Course:\n{1_context}\nPapers:\n{2_context}', 'Course:\n{2_context}\nPapers:\n{1_context}');
    expect(rows.map((row) => [row.kind, textOf(row)])).toEqual([
      ['same', 'Course:'],
      ['removed', '{1_context}'],
      ['added', '{2_context}'],
      ['same', 'Papers:'],
      ['removed', '{2_context}'],
      ['added', '{1_context}'],
    ]);
  });

  it('show a moved line as one removed and one added', () => {
    const rows = diffRows('a\nb\nc\nd', 'b\nc\nd\na');
    expect(rows.filter(({ kind }) => kind === 'removed' || kind === 'added')).toHaveLength(2);
  });

  it('leave out what is equal far from a change', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const rows = diffRows(lines.join('\n'), lines.with(10, 'other').join('\n'));
    expect(rows[0]).toEqual({ kind: 'gap', lines: 8 });
    expect(rows.filter(({ kind }) => kind === 'same')).toHaveLength(4);
    expect(rows.at(-1)).toEqual({ kind: 'gap', lines: 7 });
  });

  it('hold every line that came and none that did not', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', '', '{1_context}', 'a long line'), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const rows = diffRows(before.join('\n'), after.join('\n'));
        const side = (kind: string): string[] =>
          rows
            .filter((row) => row.kind === kind)
            .map(textOf)
            .sort();
        const without = (all: string[], some: string[]): string[] => {
          const left = [...some];
          return all.filter((line) => {
            const at = left.indexOf(line);
            if (at >= 0) left.splice(at, 1);
            return at < 0;
          });
        };
        // What one text has and the other has not (as often) must be shown on its side.
        const linesOf = (all: string[]): string[] => (all.join('\n') === '' ? [] : all);
        const [left, right] = [linesOf(before), linesOf(after)];
        for (const line of without(right, left)) expect(side('added')).toContain(line);
        for (const line of without(left, right)) expect(side('removed')).toContain(line);
      }),
    );
  });
});

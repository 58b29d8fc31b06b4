import fc from 'fast-check';
import { estimatedTokens, withinBudget } from './select-passages';

const passages = (...texts: string[]) => texts.map((text, rank) => ({ text, rank }));

describe('the token budget', () => {
  it('keeps what fits and says nothing', () => {
    const all = passages('One.', 'Two.');
    expect(withinBudget(all, 100)).toEqual({ kept: all, warnings: [] });
    expect(withinBudget([], 1)).toEqual({ kept: [], warnings: [] });
  });

  it('drops whole passages from the end and says how many', () => {
    const all = passages('a'.repeat(350), 'b'.repeat(350), 'c');
    expect(withinBudget(all, 150)).toEqual({
      kept: all.slice(0, 1),
      warnings: ['2 of 3 passages did not fit into the budget of 150 tokens and were left out'],
    });
  });

  it.each([
    [
      'One sentence. Another one (really!). And one more that is too long for it',
      20,
      'One sentence. Another one (really!).',
    ],
    ['no sentence but many words in a row', 8, 'no sentence'],
    ['x'.repeat(100), 8, 'x'.repeat(14)],
    ['3.5 kg is a mass. 4.5 kg is more than that', 10, '3.5 kg is a mass.'],
    ['😀😀😀😀', 6, '😀'],
    ['これは文です。これも文です。', 12, 'これは文です。'],
  ])('cuts %j behind a sentence or a word, never inside a character', (text, budget, kept) => {
    const [first] = withinBudget(passages(text), budget).kept;
    expect(first?.text).toBe(kept);
  });

  it('tells of both, a cut passage and those behind it', () => {
    const { kept, warnings } = withinBudget(passages('Long enough. '.repeat(20), 'Two.'), 20);
    expect(kept).toHaveLength(1);
    expect(warnings).toEqual([
      'the best passage was cut to the token budget',
      '1 of 2 passages did not fit into the budget of 20 tokens and were left out',
    ]);
  });

  it('is never passed, and keeps a beginning of the ranking', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.integer({ min: 10, max: 200 }),
        (texts, budget) => {
          const all = passages(...texts);
          const { kept } = withinBudget(all, budget);
          expect(kept.map(({ rank }) => rank)).toEqual(all.slice(0, kept.length).map(({ rank }) => rank));
          expect(kept.reduce((sum, { text }) => sum + estimatedTokens(text), 0)).toBeLessThanOrEqual(budget);
          if (all.length > 0) expect(kept.length).toBeGreaterThan(0);
          for (const { text, rank } of kept) expect(all[rank]?.text.startsWith(text)).toBe(true);
        },
      ),
    );
  });
});

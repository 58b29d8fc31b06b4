import { figuresOf, type Judged, rightPassages } from './evaluation.service';

const right = (...chunks: string[]): Judged => ({ chunks, isRight: true });
const wrong = (...chunks: string[]): Judged => ({ chunks, isRight: false });
const all = new Set(['a', 'b', 'c', 'd', 'e']);
const figures = (shown: string[][], judgements: Judged[], at = 5) =>
  figuresOf(shown, judgements, rightPassages(judgements, all), at);

describe('the figures of a ranking', () => {
  it('are 1 for the ideal one, and fall with the places of the right passages', () => {
    const judgements = [right('a'), right('b'), wrong('c')];
    expect(figures([['a'], ['b'], ['c']], judgements)).toEqual({ ndcg: 1, hit: true, judged: 1 });
    const later = figures([['c'], ['a'], ['b']], judgements);
    // (1 / log2 3 + 1 / log2 4) / (1 + 1 / log2 3)
    expect(later.ndcg).toBeCloseTo(0.6934, 4);
    expect(figures([['c']], judgements)).toMatchObject({ ndcg: 0, hit: false });
    expect(figures([], judgements)).toMatchObject({ ndcg: 0, hit: false });
  });

  it('count the first places only', () => {
    expect(figures([['c'], ['d'], ['a']], [right('a')], 2)).toEqual({ ndcg: 0, hit: false, judged: 0 });
    expect(figures([['a'], ['b']], [right('a'), right('b'), right('c')], 2).ndcg).toBe(1);
  });

  it('count a right passage once, however it is cut', () => {
    const judgements = [right('a', 'b')];
    expect(figures([['a'], ['b']], judgements)).toMatchObject({ ndcg: 1, judged: 1 });
    expect(figures([['c'], ['a', 'b', 'd']], judgements).ndcg).toBeCloseTo(1 / Math.log2(3));
  });

  it('tell the share of what was judged', () => {
    expect(figures([['a'], ['d'], ['e'], ['c']], [right('a'), wrong('c')]).judged).toBe(0.5);
  });
});

describe('the right passages of a question', () => {
  it('are one where judgements share a chunk', () => {
    expect(rightPassages([right('a'), right('c'), right('a', 'b')], all)).toEqual([
      new Set(['c']),
      new Set(['a', 'b']),
    ]);
  });

  it('do not have chunks that were judged wrong alone, or have gone', () => {
    expect(rightPassages([right('a', 'b'), wrong('b')], all)).toEqual([new Set(['a'])]);
    expect(rightPassages([right('gone')], all)).toEqual([]);
    expect(rightPassages([wrong('a')], all)).toEqual([]);
  });
});

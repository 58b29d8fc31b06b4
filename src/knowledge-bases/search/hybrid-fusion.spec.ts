import fc from 'fast-check';
import type { Hit } from './chunk.types';
import { type Fusion, fuseHits, type FusionScope } from './hybrid-fusion';

const hit = (chunk: number, similarity: number, knowledgeBase = 'a'): Hit =>
  ({ chunk_id: String(chunk), knowledge_base_id: knowledgeBase, similarity }) as Hit;

const scope = (weight: number, model: string | null = 'm'): FusionScope => ({ weight, model });

const ranked = (fusion: Partial<Fusion>) =>
  fuseHits({ keyword: [], vector: [], scopes: new Map([['a', scope(0.5)]]), depth: 10, ...fusion }).map(
    ({ chunk_id, similarity }) => [Number(chunk_id), Number(similarity.toFixed(3))],
  );

describe('fusing two rankings', () => {
  it('puts what both found before what one found', () => {
    const keyword = [hit(1, 0.4), hit(2, 0.3)];
    const vector = [hit(3, 0.8), hit(2, 0.7)];
    // 2: (0.75 + 0.875) / 2 · (0.4 + 0.8) / 2
    expect(ranked({ keyword, vector })).toEqual([
      [2, 0.487],
      [1, 0.3],
      [3, 0.3],
    ]);
  });

  it('gives each mode its own ranking at the ends of the weight', () => {
    const keyword = [hit(1, 0.4), hit(2, 0.3)];
    const vector = [hit(3, 0.8), hit(1, 0.7)];
    const at = (weight: number) => ranked({ keyword, vector, scopes: new Map([['a', scope(weight)]]) });
    expect(at(0)).toEqual([
      [1, 0.4],
      [2, 0.3],
    ]);
    expect(at(1)).toEqual([
      [3, 0.8],
      [1, 0.7],
    ]);
  });

  it('takes a passage that a full list leaves out for as near as the last in it', () => {
    const keyword = [hit(1, 0.5)];
    const vector = [hit(2, 0.8), hit(3, 0.4)];
    expect(ranked({ keyword, vector, depth: 2 })[0]).toEqual([1, 0.488]);
    expect(ranked({ keyword, vector, depth: 3 })[0]).toEqual([1, 0.325]);
  });

  it('has one scale for each model', () => {
    const scopes = new Map([
      ['a', scope(0.5, 'one')],
      ['b', scope(0.5, 'two')],
    ]);
    const vector = [hit(1, 0.9, 'a'), hit(2, 0.3, 'b')];
    expect(ranked({ vector, scopes })).toEqual([
      [1, 0.225],
      [2, 0.075],
    ]);
  });

  it('breaks ties by the number of the chunk', () => {
    expect(ranked({ keyword: [hit(10, 0.5), hit(9, 0.5)], scopes: new Map([['a', scope(0)]]) })).toEqual([
      [9, 0.5],
      [10, 0.5],
    ]);
  });
});

describe('whatever the rankings', () => {
  const similarity = fc.double({ min: 0, max: 1, noNaN: true });
  const half = fc.uniqueArray(fc.tuple(fc.nat(20), similarity), { selector: ([chunk]) => chunk, maxLength: 12 });
  const weights = fc.record({ a: fc.double({ min: 0, max: 1, noNaN: true }), b: fc.constantFrom(0, 0.3, 1) });
  const base = (chunk: number): string => (chunk % 2 === 0 ? 'a' : 'b');
  const cases = fc.record({ keyword: half, vector: half, weights });
  const fused = ({
    keyword,
    vector,
    weights: { a, b },
  }: {
    keyword: [number, number][];
    vector: [number, number][];
    weights: { a: number; b: number };
  }) =>
    fuseHits({
      keyword: keyword.map(([chunk, value]) => hit(chunk, value, base(chunk))),
      vector: vector.map(([chunk, value]) => hit(chunk, value, base(chunk))),
      scopes: new Map([
        ['a', scope(a)],
        ['b', scope(b)],
      ]),
      depth: 12,
    });

  it('similarities are in 0..1, best first, and no chunk comes twice', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const found = fused(each);
        for (const { similarity: value } of found) expect(value >= 0 && value <= 1).toBe(true);
        expect(found.map((row) => row.similarity)).toEqual(found.map((row) => row.similarity).sort((x, y) => y - x));
        expect(new Set(found.map(({ chunk_id }) => chunk_id)).size).toBe(found.length);
      }),
    );
  });

  it('the order in which rows arrive does not matter', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const reversed = { ...each, keyword: each.keyword.toReversed(), vector: each.vector.toReversed() };
        expect(fused(reversed)).toEqual(fused(each));
      }),
    );
  });

  it('a chunk that is as good in both never stands behind', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const found = fused(each).filter(({ knowledge_base_id }) => knowledge_base_id === 'a');
        const [keyword, vector] = [new Map(each.keyword), new Map(each.vector)];
        const at = ({ chunk_id }: Hit) =>
          [keyword.get(Number(chunk_id)) ?? 0, vector.get(Number(chunk_id)) ?? 0] as const;
        for (const better of found) {
          for (const worse of found) {
            const [[k, v], [k2, v2]] = [at(better), at(worse)];
            if (k >= k2 && v >= v2) expect(better.similarity).toBeGreaterThanOrEqual(worse.similarity - 1e-12);
          }
        }
      }),
    );
  });

  it('a knowledge base without weight ranks as in keyword mode', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const found = fused({ ...each, weights: { ...each.weights, b: 0 } }).filter(
          (row) => row.knowledge_base_id === 'b',
        );
        const words = each.keyword.filter(([chunk, value]) => base(chunk) === 'b' && value > 0);
        expect(new Map(found.map(({ chunk_id, similarity: value }) => [Number(chunk_id), value]))).toEqual(
          new Map(words),
        );
      }),
    );
  });
});

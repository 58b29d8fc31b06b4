import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, changed, sentShares } from './upload-batches';

const items = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(50) }), { maxLength: 30 });

describe('batches of an upload', () => {
  it('hold every file once, in order, within the limits, and no name twice', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 }), (files, most, bytes) => {
        const batches = batchesOf(files, { files: most, bytes });
        expect(batches.flat()).toEqual(files);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(most);
          expect(new Set(batch.map(({ name }) => name)).size).toBe(batch.length);
          const size = batch.reduce((sum, file) => sum + file.size, 0);
          expect(batch.length === 1 || size <= bytes).toBe(true);
        }
      }),
    );
  });

  it('send the file that is larger than a request alone', () => {
    const [small, large, last] = [
      { name: 'a', size: 1 },
      { name: 'b', size: 500 },
      { name: 'c', size: 1 },
    ];
    expect(batchesOf([small, large, last], { files: 10, bytes: 100 })).toEqual([[small], [large], [last]]);
  });
});

describe('progress of the files of one request', () => {
  it('fills them one after the other', () => {
    expect(sentShares([100, 100], 0, 200)).toEqual([0, 0]);
    expect(sentShares([100, 100], 100, 200)).toEqual([1, 0]);
    expect(sentShares([100, 100], 150, 200)).toEqual([1, 0.5]);
  });

  it('ends at one for each, whatever the parts around the files weigh', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(500), (sizes, heads) => {
        const total = sizes.reduce((sum, size) => sum + size, heads) + 1;
        expect(sentShares(sizes, total, total)).toEqual(sizes.map(() => 1));
      }),
    );
  });

  it('never runs backwards', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(1000), fc.nat(1000), (sizes, a, b) => {
        const [early, late] = [Math.min(a, b), Math.max(a, b)];
        const before = sentShares(sizes, early, 1000);
        sentShares(sizes, late, 1000).forEach((share, index) => {
          expect(share).toBeGreaterThanOrEqual(before[index] ?? 0);
        });
      }),
    );
  });
});

it('changes only the items of a batch, each by its place', () => {
  const all = [
    { key: 1, sent: 0 },
    { key: 2, sent: 0 },
    { key: 3, sent: 0 },
  ];
  expect(changed(all, all.slice(1), (index) => ({ sent: index + 1 })).map(({ sent }) => sent)).toEqual([0, 1, 2]);
});

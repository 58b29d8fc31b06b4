import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { moved, positionAt, previewOf, scrollSpeed, shiftOf } from './reorder';

const place = fc.integer({ min: 1, max: 12 }).chain((length) =>
  fc.record({
    length: fc.constant(length),
    from: fc.integer({ min: 0, max: length - 1 }),
    to: fc.integer({ min: 0, max: length - 1 }),
  }),
);
const list = (length: number): number[] => Array.from({ length }, (_, index) => index);

const stacked = (heights: readonly number[], gap: number) => {
  let top = 0;
  return heights.map((height) => {
    const box = { top, height };
    top += height + gap;
    return box;
  });
};

describe('moving an item of a list', () => {
  it('keeps every other item in its order', () => {
    fc.assert(
      fc.property(place, ({ length, from, to }) => {
        const result = moved(list(length), from, to);
        expect(result[to]).toBe(from);
        expect(result.filter((item) => item !== from)).toEqual(list(length).filter((item) => item !== from));
      }),
    );
  });

  it('is shown beforehand where it will be', () => {
    fc.assert(
      fc.property(place, ({ length, from, to }) => {
        const result = moved(list(length), from, to);
        for (const item of list(length)) expect(previewOf(item, from, to)).toBe(result.indexOf(item));
      }),
    );
  });
});

describe('dragging an item', () => {
  const heights = fc.array(fc.integer({ min: 20, max: 300 }), { minLength: 1, maxLength: 12 });

  it('leaves it where it is while it has not moved', () => {
    fc.assert(
      fc.property(heights, fc.nat(), (all, pick) => {
        const from = pick % all.length;
        expect(positionAt(stacked(all, 10), from, 0)).toBe(from);
      }),
    );
  });

  it('reaches every position when it is dragged to where that begins or ends', () => {
    fc.assert(
      fc.property(heights, fc.nat(), fc.nat(), (all, pick, aim) => {
        const boxes = stacked(all, 10);
        const from = pick % all.length;
        const to = aim % all.length;
        expect(positionAt(boxes, from, shiftOf(boxes, from, to))).toBe(to);
      }),
    );
  });

  it('never goes back while the pointer goes on', () => {
    fc.assert(
      fc.property(heights, fc.nat(), fc.integer({ min: -2_000, max: 2_000 }), fc.nat(400), (all, pick, start, more) => {
        const boxes = stacked(all, 10);
        const from = pick % all.length;
        expect(positionAt(boxes, from, start + more)).toBeGreaterThanOrEqual(positionAt(boxes, from, start));
      }),
    );
  });
});

describe('the window while something is dragged', () => {
  it.each([
    [400, 0],
    [0, -18],
    [-50, -18],
    [800, 18],
    [36, -9],
    [764, 9],
  ])('scrolls at %i of 800 pixels by %i', (y, speed) => {
    expect(scrollSpeed(y, 800)).toBe(speed);
  });
});

import { groupByMeaning, similarityThreshold } from './group-by-meaning';
import { TimeSlices } from './time-slices';

const unit = (...values: number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
};

/** Vectors as some models give them: every two texts have `common` in common. */
const space = (common: number) => [
  unit(common, 1, 0, 0),
  unit(common, 0.95, 0.1, 0),
  unit(common, 0, 1, 0),
  unit(common, 0, 0.95, 0.1),
  unit(common, 0, 0, 1),
  unit(common, 0.1, 0, 0.95),
];

describe('groups of similar questions by meaning', () => {
  it.each([0, 1, 1.7])('find the same groups whatever unrelated texts have in common: %d', async (common) => {
    expect(await groupByMeaning(space(common), new TimeSlices())).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('join all questions of a class with a single topic', async () => {
    const vectors = [unit(1, 0.1, 0), unit(1, 0, 0.1), unit(1, 0.05, 0.05)];
    expect(similarityThreshold(vectors)).toBeCloseTo(0.9);
    expect(await groupByMeaning(vectors, new TimeSlices())).toEqual([[0, 1, 2]]);
  });

  it('measure many questions by some of their pairs', () => {
    const vectors = Array.from({ length: 500 }, (_, at) => unit(Math.cos(at), Math.sin(at)));
    expect(similarityThreshold(vectors)).toBeGreaterThan(0.4);
    expect(similarityThreshold([])).toBe(0.5);
  });
});

import { secondDepth } from './retrieval.service';

describe('the second pass', () => {
  it.each([
    [3, 1, 400],
    [3, 2, 400],
    [3, 3, 267],
    [3, 20, 40],
    [20, 20, 100],
    [100, 1, 420],
    [3, 0, 400],
  ])('for %i passages of %i knowledge bases asks each for %i hits', (topK, bases, depth) => {
    expect(secondDepth(topK, bases)).toBe(depth);
  });
});

import { unitVector } from './embeddings.service';

describe('vectors', () => {
  it('are brought to length 1', () => {
    expect(unitVector([3, 4])).toEqual([0.6, 0.8]);
    expect(unitVector([1e-9, 0])).toEqual([1, 0]);
  });

  it.each([
    ['zero', [0, 0, 0]],
    ['not a number', [1, NaN]],
    ['infinite', [1, Infinity]],
    ['beyond what can be squared', [1e200, 1e300]],
    ['empty', []],
  ])('that are %s are refused unless they have a direction', (_, vector) => {
    const tried = (): number[] => unitVector(vector);
    if (vector[0] === 1e200) expect(tried()[1]).toBeCloseTo(1);
    else expect(tried).toThrow('without a direction');
  });
});

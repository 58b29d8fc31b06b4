import { rubricDocument } from '../../test/support/lamb-source';
import { markDifference } from './plan/plan-content';

const criterion = (weight: number, ...scores: number[]) => ({ weight, levels: scores.map((score) => ({ score })) });

describe('markDifference', () => {
  it.each([
    ['one criterion of weight 100', rubricDocument(), null],
    ['equal best scores and weights that sum to 100', { criteria: [criterion(60, 1, 4), criterion(40, 4, 2)] }, null],
    ['different best scores', { criteria: [criterion(50, 1, 4), criterion(50, 1, 3)] }, /different best scores/],
    ['weights that do not sum to 100', { criteria: [criterion(3, 4), criterion(1, 4)] }, /sum to 4, not to 100/],
  ])('of %s', (_, document, expected) => {
    const found = markDifference(document);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatch(expected);
  });
});

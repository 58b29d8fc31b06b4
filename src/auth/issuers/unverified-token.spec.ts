import { growthOf, LINEAR_GROWTH } from '../../../test/support/cpu-time';
import { looksLikeToken, unslashed } from './token-verifier';

it.each([
  [16_384, true],
  [16_385, false],
])('a token of %d characters looks like one: %s', (length, expected) =>
  expect(looksLikeToken(`aa.bb.${'c'.repeat(length - 6)}`)).toBe(expected),
);

describe('unslashed', () => {
  it.each([
    ['https://uni.example', 'https://uni.example'],
    ['https://uni.example/', 'https://uni.example'],
    ['https://uni.example/a//', 'https://uni.example/a'],
    ['//', ''],
    ['', ''],
  ])('of %s is %s', (url, expected) => expect(unslashed(url)).toBe(expected));

  it('reads a text of slashes in one pass', () => {
    expect(growthOf((length) => unslashed(`${'/'.repeat(length)}x`), 160_000)).toBeLessThan(LINEAR_GROWTH);
  });
});

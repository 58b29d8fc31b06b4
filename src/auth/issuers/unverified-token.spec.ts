import { looksLikeToken, unslashed } from './unverified-token';

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
    const before = performance.now();
    unslashed(`${'/'.repeat(200_000)}x`);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

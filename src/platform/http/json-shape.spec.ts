import { AppError } from '../../kernel';
import { assertJsonShape, HOUSE_LIMITS } from './json-shape';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const refusal = (body: unknown): string => {
  try {
    assertJsonShape(body, HOUSE_LIMITS);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('assertJsonShape', () => {
  it('accepts ordinary bodies, emoji included', () => {
    expect(refusal({ name: 'Ada 👩🏽‍🔬', list: [1, null, { a: true }] })).toBe('accepted');
    expect(refusal(nested(32))).toBe('accepted');
  });

  it.each([
    ['deeper than the limit', nested(34), 'body_too_complex'],
    ['20,000 levels', nested(20_000), 'body_too_complex'],
    ['too many values', Array.from({ length: 1_999 }, () => Array(20).fill(0)), 'body_too_complex'],
    ['too long an array', Array(2_001).fill(0), 'body_too_complex'],
    ['NUL in a value', { a: 'x\u0000' }, 'bad_request'],
    ['NUL in a name', { 'x\u0000': 1 }, 'bad_request'],
    ['a lone surrogate', { a: '\ud800' }, 'bad_request'],
    ['__proto__', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), 'bad_request'],
  ])('refuses %s', (_name, body, code) => expect(refusal(body)).toBe(code));
});

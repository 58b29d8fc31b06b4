import { AppError } from '@bellwether/kernel';
import { assertJsonTexts } from './read-json';

const refusal = (body: unknown): string => {
  try {
    assertJsonTexts(body);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('assertJsonTexts', () => {
  it('accepts ordinary bodies, emoji included', () => {
    expect(refusal({ name: 'Ada 👩🏽‍🔬', list: [1, null, { a: true }] })).toBe('accepted');
  });

  it.each([
    ['NUL in a value', { a: 'x\u0000' }],
    ['NUL in a name', { 'x\u0000': 1 }],
    ['a lone surrogate', { a: ['\ud800'] }],
    ['__proto__', JSON.parse('{"a":{"__proto__":{"admin":true}}}')],
  ])('refuses %s', (_name, body) => expect(refusal(body)).toBe('bad_request'));
});

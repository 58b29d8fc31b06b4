import { AppError } from '@bellwether/kernel';
import { CHAT_LIMITS, HOUSE_LIMITS, type JsonLimits, JsonScanner } from './large-json';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const list = (length: number, item: string): string => `[${Array<string>(length).fill(item).join(',')}]`;
const object = (members: number, first = 0): string =>
  `{${Array.from({ length: members }, (_, index) => `"k${first + index}":1`).join(',')}}`;

const outcome = (work: () => void): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
};
const verdict = (text: string, limits: JsonLimits = HOUSE_LIMITS): string =>
  outcome(() => new JsonScanner(limits).push(Buffer.from(text)));

describe('JsonScanner', () => {
  it.each([
    ['an ordinary body', JSON.stringify({ name: 'Ada 👩🏽‍🔬', list: [1, null, { a: true }], empty: {} })],
    ['the deepest nesting', nested(33)],
    ['the longest array', list(2_000, '0')],
    ['the most members', object(200)],
    ['brackets and commas in strings', JSON.stringify({ text: '[{,'.repeat(50_000) })],
    ['quotes and backslashes in strings', JSON.stringify({ text: '\\",[\\\\",{'.repeat(50_000) })],
    ['white space', `{${' \n'.repeat(50_000)}}`],
    ['the longest name of a member', JSON.stringify({ ['n'.repeat(1_024)]: 1 })],
    ['no JSON at all', 'hello'],
    ['closing brackets alone', ']'.repeat(50_000)],
  ])('accepts %s', (_name, text) => expect(verdict(text)).toBe('accepted'));

  it.each([
    ['deeper nesting', nested(34)],
    ['a value below the deepest container', `${'['.repeat(33)}1`],
    ['20,000 levels', '['.repeat(20_000)],
    ['too many values', list(1_999, list(20, '0'))],
    ['too long an array', list(2_001, '0')],
    ['too many empty objects', list(2_001, '{}')],
    ['too many members', object(201)],
    ['a longer name of a member', JSON.stringify({ ['n'.repeat(1_025)]: 1 })],
    ['a longer name of a member with escaped quotes', `{"${String.raw`\"`.repeat(513)}":1}`],
    ['commas alone', `[${','.repeat(3_000)}`],
    ['an array after an escaped quote', `{"a":"\\\\","b":${list(2_001, '0')}}`],
  ])('refuses %s', (_name, text) => expect(verdict(text)).toBe('body_too_complex'));

  it('counts alike however the bytes are cut', () => {
    const bytes = Buffer.from(
      `{"a\\"[":"\\\\\\"é,","mess\\u0061ges":[${'{"role":"user"},'.repeat(40)}{}],"b":${object(60)}}`,
    );
    const exact: JsonLimits = { ...HOUSE_LIMITS, values: 144, members: 60, arrayLength: 41, depth: 3 };
    const cut = (size: number, limits: JsonLimits): string =>
      outcome(() => {
        const scanner = new JsonScanner(limits);
        for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
      });
    for (let size = 1; size < 40; size++) {
      expect([size, cut(size, exact)]).toEqual([size, 'accepted']);
      for (const less of ['values', 'members', 'arrayLength'] as const)
        expect([size, cut(size, { ...exact, [less]: exact[less] - 1 })]).toEqual([size, 'body_too_complex']);
    }
  });

  it('gives a conversation more values than everything beside it', () => {
    const parts = list(15_000, '{"type":"text"}');
    expect(verdict(`{"messages":${parts},"model":"m"}`, CHAT_LIMITS)).toBe('accepted');
    const beside = `"metadata":[${list(15_000, '0')},${list(15_000, '0')}]`;
    expect(verdict(`{${beside},"messages":[]}`, CHAT_LIMITS)).toBe('body_too_complex');
    expect(verdict(`{"messages":[],${beside}}`, CHAT_LIMITS)).toBe('body_too_complex');
    expect(verdict(`{"x":{"messages":${parts}}}`, CHAT_LIMITS)).toBe('body_too_complex');
  });

  it('takes any number of objects of one shape and few of different ones', () => {
    const alike = list(19_000, '{"role":"user","content":"a"}');
    expect(verdict(`{"messages":${alike}}`, CHAT_LIMITS)).toBe('accepted');
    const different = Array.from({ length: 11 }, (_, index) => object(1_000, index * 1_000)).join(',');
    expect(verdict(`{"messages":[${different}]}`, CHAT_LIMITS)).toBe('body_too_complex');
  });
});

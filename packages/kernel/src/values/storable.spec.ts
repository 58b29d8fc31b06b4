import { isStorableText, storageProblem } from './storable';

const nested = (depth: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};
const LARGE = 'is too deep or holds too many values';
const UNSTORABLE = 'holds a NUL character, half of a surrogate pair, or `__proto__`';

it.each<[string, unknown, string | null]>([
  ['the deepest document', nested(30), null],
  ['a deeper one', nested(31), LARGE],
  ['most values, the list among them', Array.from({ length: 19_999 }, () => 1), null],
  ['one value more', Array.from({ length: 20_000 }, () => 1), LARGE],
  ['a NUL character', { a: 'x\u0000' }, UNSTORABLE],
  ['a NUL character in a name', { ['x\u0000']: 1 }, UNSTORABLE],
  ['half of a surrogate pair', ['\ud800'], UNSTORABLE],
  ['a whole surrogate pair', ['😀'], null],
  ['a name of every object', JSON.parse('{"a":{"__proto__":1}}'), UNSTORABLE],
  ['null', null, null],
])('%s can be stored, or not: %#', (_, document, problem) => expect(storageProblem(document)).toBe(problem));

it('texts are storable without a NUL character', () =>
  expect(['a', 'a\u0000', '\udc00'].map(isStorableText)).toEqual([true, false, false]));

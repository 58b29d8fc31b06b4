import { sameJson } from './json';

describe('equal JSON', () => {
  it.each([
    [
      { name: 'Autumn', from: 1 },
      { from: 1, name: 'Autumn' },
    ],
    [[{ a: { b: 1, c: 2 } }], [{ a: { c: 2, b: 1 } }]],
    [{ a: 1, b: undefined }, { a: 1 }],
    [undefined, undefined],
  ])('is %j and %j', (one, other) => expect(sameJson(one, other)).toBe(true));

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [null, undefined],
    [{}, []],
  ])('is not %j and %j', (one, other) => expect(sameJson(one, other)).toBe(false));
});

import type { Request } from 'express';
import { bodyHash } from './body-hash';

const hash = (request: object): string =>
  bodyHash({ query: {}, headers: {}, is: () => false, ...request } as unknown as Request);
describe('bodyHash', () => {
  it('is the same for members in another order, at any depth', () =>
    expect(hash({ body: { a: 1, b: [{ c: 1, d: 2 }] } })).toBe(hash({ body: { b: [{ d: 2, c: 1 }], a: 1 } })));

  it.each([
    [{ body: { a: 1 } }, { body: { a: '1' } }],
    [{ body: { a: [1, 2] } }, { body: { a: [2, 1] } }],
    [{ body: { a: 1 } }, { body: { a: 1, b: null } }],
    [{ body: {} }, { body: {}, query: { dry_run: 'true' } }],
  ])('tells %j from %j', (one, other) => expect(hash(one)).not.toBe(hash(other)));

  it('falls back to the length of an upload that nobody has read yet', () => {
    const unread = (length: string): string => hash({ headers: { 'content-length': length }, is: () => true });
    expect(unread('10')).toBe(unread('10'));
    expect(unread('10')).not.toBe(unread('11'));
  });
});

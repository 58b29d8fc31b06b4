import type { Request } from 'express';
import { bodyHash } from './idempotency.interceptor';

const hash = (request: object): Promise<string> =>
  bodyHash({ query: {}, headers: {}, is: () => false, ...request } as unknown as Request);
describe('bodyHash', () => {
  it('is the same for members in another order, at any depth', async () =>
    expect(await hash({ body: { a: 1, b: [{ c: 1, d: 2 }] } })).toBe(
      await hash({ body: { b: [{ d: 2, c: 1 }], a: 1 } }),
    ));

  it.each([
    [{ body: { a: 1 } }, { body: { a: '1' } }],
    [{ body: { a: [1, 2] } }, { body: { a: [2, 1] } }],
    [{ body: { a: 1 } }, { body: { a: 1, b: null } }],
    [{ body: {} }, { body: {}, query: { dry_run: 'true' } }],
  ])('tells %j from %j', async (one, other) => expect(await hash(one)).not.toBe(await hash(other)));

  it('falls back to the length of an upload that nobody has read yet', async () => {
    const unread = (length: string): Promise<string> => hash({ headers: { 'content-length': length }, is: () => true });
    expect(await unread('10')).toBe(await unread('10'));
    expect(await unread('10')).not.toBe(await unread('11'));
  });
});

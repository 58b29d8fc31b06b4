import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { BaseShares } from './base-shares.svelte';

const listed = (...names: string[]) =>
  ({
    data: { users: names.map((name) => ({ user_id: name, email: `${name}@example.edu`, name })), groups: [] },
  }) as never;
const bodiesOf = (calls: unknown[][]): { users: unknown; groups: unknown }[] =>
  calls.map(([, options]) => (options as { body: { users: unknown; groups: unknown } }).body);
const sentTo = (calls: unknown[][]): unknown[] => bodiesOf(calls).map(({ users }) => users);

afterEach(() => vi.restoreAllMocks());

describe('the people a knowledge base is shared with', () => {
  it('are not changed before they were read', async () => {
    vi.spyOn(api, 'GET').mockRejectedValueOnce(new ProblemError(503, 'unavailable', 'no'));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed());
    const shares = new BaseShares();
    await expect(shares.load('b1')).rejects.toThrow();
    await shares.add('b1', 'cy@example.edu');
    await shares.remove('b1', 'ada');
    expect([shares.people, put.mock.calls]).toEqual([null, []]);
  });

  it('stay when one more is added or one is removed', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue(listed('ada', 'bo'));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed('ada'));
    const shares = new BaseShares();
    await shares.load('b1');
    await shares.add('b1', 'cy@example.edu');
    expect(shares.people?.map((each) => each.user_id)).toEqual(['ada']);
    await shares.load('b1');
    await shares.remove('b1', 'ada');
    expect(sentTo(put.mock.calls)).toEqual([['ada', 'bo', 'cy@example.edu'], ['bo']]);
  });

  it('stay when a group is added or removed, and the other groups too', async () => {
    const group = (id: string) => ({ group_id: id, name: id });
    const now = { data: { users: [{ user_id: 'ada', email: '', name: '' }], groups: [group('g1'), group('g2')] } };
    vi.spyOn(api, 'GET').mockResolvedValue(now as never);
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(now as never);
    const shares = new BaseShares();
    await shares.load('b1');
    await shares.addGroup('b1', 'g3');
    await shares.removeGroup('b1', 'g1');
    expect(bodiesOf(put.mock.calls)).toEqual([
      { users: ['ada'], groups: ['g1', 'g2', 'g3'] },
      { users: ['ada'], groups: ['g2'] },
    ]);
  });

  it('are changed as they are now, and told where somebody else changed them', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue(listed('ada', 'bo'));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed('bo', 'cy'));
    const shares = new BaseShares();
    await shares.load('b1');
    get.mockResolvedValue(listed('bo'));
    await shares.add('b1', 'cy@example.edu');
    expect([shares.overtaken, sentTo(put.mock.calls)]).toEqual([true, [['bo', 'cy@example.edu']]]);
    get.mockResolvedValue(listed('cy', 'bo'));
    await shares.remove('b1', 'bo');
    expect([shares.overtaken, sentTo(put.mock.calls)[1]]).toEqual([false, ['cy']]);
  });
});

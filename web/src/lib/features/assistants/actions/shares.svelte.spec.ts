import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { Assistant } from '$lib/app/catalogues/assistant';
import { Shares } from './shares.svelte';

const assistant = { id: 7 } as Assistant;
const share = (name: string, access: 'use' | 'edit' = 'use') => ({
  user_id: name,
  email: `${name}@example.edu`,
  name,
  access,
});
const listed = (...shares: ReturnType<typeof share>[]) => ({ data: { shares } }) as never;
const sentTo = (calls: unknown[][]): unknown[] =>
  calls.map(([, options]) => (options as { body: { shares: unknown } }).body.shares);
const DOWN = new ProblemError(503, 'unavailable', 'no');

afterEach(() => vi.restoreAllMocks());

describe('the people an assistant is shared with', () => {
  it('are not saved before they were read', async () => {
    const get = vi.spyOn(api, 'GET').mockRejectedValueOnce(DOWN);
    const put = vi.spyOn(api, 'PUT');
    const shares = new Shares();
    await shares.load(assistant);
    expect([shares.people, shares.error]).toEqual([null, DOWN]);
    await shares.add(assistant, 'cy@example.edu', 'use');
    await shares.remove(assistant, 'ada');
    expect([shares.people, put.mock.calls]).toEqual([null, []]);
    get.mockResolvedValue(listed(share('ada')));
    await shares.load(assistant);
    expect([shares.people?.map(({ user_id }) => user_id), shares.error]).toEqual([['ada'], null]);
  });

  it('are saved step by step, upon the list as it is then', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada'), share('bo')));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed(share('ada'), share('bo')));
    const shares = new Shares();
    await shares.load(assistant);
    expect(await shares.add(assistant, ' Di@example.edu ', 'edit')).toBeNull();
    await shares.change(assistant, 'bo', 'edit');
    await shares.remove(assistant, 'ada');
    expect(sentTo(put.mock.calls)).toEqual([
      [
        { user_id: 'ada', access: 'use' },
        { user_id: 'bo', access: 'use' },
        { email: 'di@example.edu', access: 'edit' },
      ],
      [
        { user_id: 'ada', access: 'use' },
        { user_id: 'bo', access: 'edit' },
      ],
      [{ user_id: 'bo', access: 'use' }],
    ]);
    expect(shares.overtaken).toBe(false);
  });

  it('refuse an address that is none or is there already', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada')));
    const put = vi.spyOn(api, 'PUT');
    const shares = new Shares();
    await shares.load(assistant);
    expect(await shares.add(assistant, 'nobody', 'use')).toBe('sharing.email_wrong');
    expect(await shares.add(assistant, 'ADA@example.edu', 'use')).toBe('sharing.email_twice');
    expect(put).not.toHaveBeenCalled();
  });

  it('show what somebody else changed, and say so', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada'), share('bo')));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed(share('flo')));
    const shares = new Shares();
    await shares.load(assistant);
    get.mockResolvedValue(listed(share('bo'), share('flo')));
    await shares.remove(assistant, 'bo');
    expect(sentTo(put.mock.calls)).toEqual([[{ user_id: 'flo', access: 'use' }]]);
    expect([shares.overtaken, shares.people?.map(({ user_id }) => user_id)]).toEqual([true, ['flo']]);
  });

  it('stay as they were when saving is refused', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada')));
    vi.spyOn(api, 'PUT').mockRejectedValue(DOWN);
    const shares = new Shares();
    await shares.load(assistant);
    await shares.remove(assistant, 'ada');
    expect([shares.people?.length, shares.error]).toEqual([1, DOWN]);
  });

  it('get the knowledge bases of the reader that the assistant searches, when they are to edit it', async () => {
    const bases = [
      { id: 'b1', slug: 'cells', access: 'owner' },
      { id: 'b2', slug: 'plants', access: 'owner' },
      { id: 'b3', slug: 'shared', access: 'read' },
    ];
    vi.spyOn(catalogues, 'knowledgeBases').mockResolvedValue(bases as never);
    vi.spyOn(api, 'GET').mockImplementation((async (path: string) =>
      path.includes('knowledge-bases') ? { data: { users: [{ user_id: 'cy' }], groups: [] } } : listed()) as never);
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed());
    const shares = new Shares();
    await shares.load({ id: 7, metadata: { tools: [{ config: { collections: ['cells', 'b3'] } }] } } as never);
    expect(shares.material).toEqual(['b1']);
    put.mockImplementation((async (path: string) =>
      path.includes('knowledge-bases') ? { data: { users: [], groups: [] } } : listed(share('di', 'edit'))) as never);
    await shares.add(assistant, 'di@example.edu', 'edit');
    expect(put).toHaveBeenCalledTimes(1);
    put.mockClear();
    await shares.add(assistant, 'ed@example.edu', 'edit', true);
    expect((put.mock.calls as unknown[][]).map(([, options]) => options)).toEqual([
      { params: { path: { id: 7 } }, body: { shares: [{ email: 'ed@example.edu', access: 'edit' }] } },
      { params: { path: { id: 'b1' } }, body: { users: ['cy', 'ed@example.edu'] } },
    ]);
    expect(shares.error).toBeNull();
  });
});

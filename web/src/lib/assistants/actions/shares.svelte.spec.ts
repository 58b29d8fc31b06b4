import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import type { Assistant } from '$lib/definition/assistant';
import { Shares } from './shares.svelte';

const assistant = { id: 7 } as Assistant;
const share = (name: string, access: 'use' | 'edit' = 'use') => ({
  user_id: name,
  email: `${name}@example.edu`,
  name,
  access,
});
const listed = (...shares: ReturnType<typeof share>[]) => ({ data: { shares } }) as never;
const DOWN = new ProblemError(503, 'unavailable', 'no');

afterEach(() => vi.restoreAllMocks());

describe('the people an assistant is shared with', () => {
  it('are neither changed nor saved before they were read', async () => {
    const get = vi.spyOn(api, 'GET').mockRejectedValueOnce(DOWN);
    const put = vi.spyOn(api, 'PUT');
    const shares = new Shares();
    await shares.load(assistant);
    expect([shares.people, shares.error]).toEqual([null, DOWN]);
    shares.add('cy@example.edu', 'use');
    expect([await shares.save(assistant), shares.people, put.mock.calls]).toEqual([false, null, []]);
    get.mockResolvedValue(listed(share('ada')));
    await shares.load(assistant);
    expect([shares.people?.map(({ key }) => key), shares.error]).toEqual([['ada'], null]);
  });

  it('are saved upon the list as it is then: who was taken out elsewhere stays out', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada'), share('bo'), share('cy', 'edit')));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed(share('saved')));
    const shares = new Shares();
    await shares.load(assistant);
    shares.add('Di@example.edu', 'edit');
    shares.add('el@example.edu', 'edit');
    shares.remove('ada');
    shares.change('bo', 'edit');
    shares.change('cy', 'use');
    get.mockResolvedValue(listed(share('ada'), share('bo'), share('el'), share('flo')));
    expect(await shares.save(assistant)).toBe(true);
    expect(put.mock.calls[0]?.[1]).toMatchObject({
      body: {
        shares: [
          { user_id: 'bo', access: 'edit' },
          { user_id: 'el', access: 'edit' },
          { user_id: 'flo', access: 'use' },
          { email: 'di@example.edu', access: 'edit' },
        ],
      },
    });
    expect([shares.overtaken, shares.people?.map(({ key }) => key)]).toEqual([true, ['saved']]);
  });

  it('are told as they are where nothing was changed here, without being written', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada')));
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(listed(share('ada')));
    const shares = new Shares();
    await shares.load(assistant);
    expect([await shares.save(assistant), shares.overtaken]).toEqual([true, false]);
    get.mockResolvedValue(listed());
    expect([await shares.save(assistant), shares.overtaken, shares.people]).toEqual([true, true, []]);
    expect(put).not.toHaveBeenCalled();
  });

  it('stay as edited when saving is refused, and are then saved upon what was read first', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue(listed(share('ada')));
    const put = vi.spyOn(api, 'PUT').mockRejectedValueOnce(DOWN);
    put.mockResolvedValue(listed(share('ada'), share('cy')));
    const shares = new Shares();
    await shares.load(assistant);
    shares.add('cy@example.edu', 'use');
    expect([await shares.save(assistant), shares.people?.length, shares.error]).toEqual([false, 2, DOWN]);
    expect([await shares.save(assistant), shares.overtaken]).toEqual([true, false]);
    expect(put.mock.calls[1]).toEqual(put.mock.calls[0]);
  });
});

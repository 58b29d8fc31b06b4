import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import type { Assistant } from '$lib/assistants/definition';
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
});

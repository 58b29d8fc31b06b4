import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import type { Assistant } from '$lib/definition/assistant';
import { GroupShares } from './group-shares.svelte';

const assistant = { id: 7 } as Assistant;
const shares = (...ids: string[]) => ({
  data: { shares: [], groups: ids.map((group_id) => ({ group_id, name: group_id, access: 'use' })) },
});
const answering =
  (...ids: string[]) =>
  (path: string) =>
    Promise.resolve(
      path.endsWith('/groups')
        ? {
            data: {
              items: [
                { id: 'a', name: 'A' },
                { id: 'b', name: 'B' },
              ],
            },
          }
        : shares(...ids),
    );

afterEach(() => vi.restoreAllMocks());

describe('the groups an assistant is shared with', () => {
  it('are saved alone, and only when they were changed', async () => {
    vi.spyOn(api, 'GET').mockImplementation(answering('a') as never);
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(shares('b') as never);
    const groups = new GroupShares();
    await groups.load(assistant, 'default');
    expect(groups.others.map(({ id }) => id)).toEqual(['b']);
    expect([await groups.save(assistant), put.mock.calls.length]).toEqual([true, 0]);
    groups.add('b');
    groups.change('b', 'edit');
    groups.remove('a');
    expect(await groups.save(assistant)).toBe(true);
    expect(put.mock.calls[0]?.[1]).toMatchObject({ body: { groups: [{ group_id: 'b', access: 'edit' }] } });
    expect(groups.others.map(({ id }) => id)).toEqual(['a']);
  });

  it('keep what the reader wants when saving fails', async () => {
    vi.spyOn(api, 'GET').mockImplementation(answering() as never);
    const down = new ProblemError(503, 'unavailable', 'no');
    vi.spyOn(api, 'PUT').mockRejectedValue(down);
    const groups = new GroupShares();
    await groups.load(assistant, 'default');
    groups.add('a');
    expect([await groups.save(assistant), groups.error]).toEqual([false, down]);
    expect(groups.shared?.map(({ group_id }) => group_id)).toEqual(['a']);
  });
});

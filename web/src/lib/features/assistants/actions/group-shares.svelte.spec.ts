import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import type { Assistant } from '$lib/app/catalogues/assistant';
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
  it('are saved alone, step by step', async () => {
    vi.spyOn(api, 'GET').mockImplementation(answering('a') as never);
    const put = vi.spyOn(api, 'PUT').mockResolvedValue(shares('a') as never);
    const groups = new GroupShares();
    await groups.load(assistant, 'default');
    expect(groups.others.map(({ id }) => id)).toEqual(['b']);
    await groups.add(assistant, 'b');
    await groups.change(assistant, 'a', 'edit');
    await groups.remove(assistant, 'a');
    expect((put.mock.calls as unknown[][]).map(([, options]) => (options as { body: unknown }).body)).toEqual([
      {
        groups: [
          { group_id: 'a', access: 'use' },
          { group_id: 'b', access: 'use' },
        ],
      },
      { groups: [{ group_id: 'a', access: 'edit' }] },
      { groups: [] },
    ]);
  });

  it('stay as they were when saving fails', async () => {
    vi.spyOn(api, 'GET').mockImplementation(answering('a') as never);
    const down = new ProblemError(503, 'unavailable', 'no');
    vi.spyOn(api, 'PUT').mockRejectedValue(down);
    const groups = new GroupShares();
    await groups.load(assistant, 'default');
    await groups.remove(assistant, 'a');
    expect([groups.error, groups.shared?.map(({ group_id }) => group_id)]).toEqual([down, ['a']]);
  });
});

import { beforeEach, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { AssistantList } from './list.svelte';

beforeEach(() => vi.restoreAllMocks());

it('says of an overtaken question that it is not shown', async () => {
  const arrive: ((total: number) => void)[] = [];
  vi.spyOn(api, 'GET').mockImplementation((() => {
    const answer = (total: number): unknown => ({ data: { items: [], total, next_cursor: null } });
    return new Promise((resolve) => arrive.push((total) => resolve(answer(total))));
  }) as never);
  const list = new AssistantList();
  const first = list.show({ type: null, q: 'a', mine: false });
  const second = list.show({ type: null, q: 'ab', mine: false });
  arrive[1]?.(1);
  arrive[0]?.(9);
  expect(await Promise.all([first, second])).toEqual([false, true]);
  expect([list.total, list.loading]).toEqual([1, false]);
  expect(await list.more()).toBe(false);
});

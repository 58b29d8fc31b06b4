import { tick } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { PagedList } from './paged-list.svelte';

interface Item {
  readonly id: string;
}
const page = (ids: string, next: string | null = null) => ({
  items: [...ids].map((id) => ({ id })),
  next_cursor: next,
  total: 4,
});
const ids = (list: PagedList<Item>): string => list.items.map(({ id }) => id).join('');

describe('a list that is shown page by page', () => {
  it('adds the next page to the ones before, and begins anew', async () => {
    const list = new PagedList<Item>(async ({ cursor }) => (cursor === undefined ? page('ab', 'c1') : page('cd')));
    await list.load();
    expect([ids(list), list.hasMore, list.total]).toEqual(['ab', true, 4]);
    expect(await list.more()).toBe(true);
    expect([ids(list), list.hasMore]).toEqual(['abcd', false]);
    list.remove('b');
    expect([ids(list), list.total]).toEqual(['acd', 3]);
    await list.load();
    expect(ids(list)).toBe('ab');
  });

  it('loads by itself once the connection is back', async () => {
    let isAway = true;
    const list = new PagedList<Item>(async () => {
      if (isAway) throw new TypeError('Failed to fetch');
      return page('ab');
    });
    const leave = $effect.root(() => {
      $effect(() => void list.error);
    });
    await list.load();
    expect([ids(list), list.error instanceof TypeError]).toEqual(['', true]);
    isAway = false;
    dispatchEvent(new Event('online'));
    await vi.waitFor(() => expect([ids(list), list.error]).toEqual(['ab', null]));
    isAway = true;
    await list.load();
    leave();
    await tick();
    isAway = false;
    dispatchEvent(new Event('online'));
    // The list is shown no more, so it asks nothing.
    expect([list.loading, list.error instanceof TypeError]).toEqual([false, true]);
  });

  it('drops an answer that a later question has overtaken', async () => {
    const waiting: ((found: ReturnType<typeof page>) => void)[] = [];
    const list = new PagedList<Item>(() => new Promise((resolve) => waiting.push(resolve)));
    const first = list.load();
    const second = list.load();
    waiting[1]?.(page('new'));
    waiting[0]?.(page('old'));
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect([ids(list), list.loading]).toEqual(['new', false]);
    expect(await list.more()).toBe(false);
  });

  it('keeps what it shows when a page fails', async () => {
    let works = true;
    const list = new PagedList<Item>(async () => {
      if (!works) throw new Error('gone');
      return page('ab', 'c1');
    });
    await list.load();
    works = false;
    expect(await list.more()).toBe(false);
    expect([ids(list), String(list.error), list.loading]).toEqual(['ab', 'Error: gone', false]);
  });

  it('follows a first page that failed with none of the pages before, whose filters were others', async () => {
    const asked: (string | undefined)[] = [];
    let works = true;
    const list = new PagedList<Item>(async ({ cursor }) => {
      asked.push(cursor);
      if (!works) throw new Error('gone');
      return page('ab', 'c1');
    });
    await list.load();
    works = false;
    await list.load();
    expect([ids(list), list.hasMore]).toEqual(['ab', false]);
    expect(await list.more()).toBe(false);
    works = true;
    await list.load();
    expect([list.hasMore, asked]).toEqual([true, [undefined, undefined, undefined]]);
  });

  it('does not bring back what was removed while a page was on its way', async () => {
    let answer: (found: ReturnType<typeof page>) => void = () => undefined;
    const list = new PagedList<Item & { name?: string }>(() => new Promise((resolve) => (answer = resolve)));
    const first = list.load();
    answer(page('abcd'));
    await first;
    const again = list.load();
    list.remove('b');
    list.replace({ id: 'c', name: 'newer' });
    answer(page('abcd'));
    expect(await again).toBe(true);
    expect([ids(list), list.total, list.items[1]?.name, list.loading]).toEqual(['acd', 3, 'newer', false]);
    const last = list.load();
    answer(page('abcd'));
    await last;
    expect(ids(list)).toBe('abcd');
  });
});

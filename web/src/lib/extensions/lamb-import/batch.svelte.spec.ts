import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { BatchView } from './batch.svelte';

const BATCH = { id: 'b', state: 'running', task: 'migrate', items: { items: [], total: 0, next_cursor: null } };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('leaves on the screen what went wrong while it asks again by itself, until an answer comes', async () => {
  let answer: () => unknown = () => ({ data: BATCH });
  const asked = vi.spyOn(api, 'GET').mockImplementation((async () => answer()) as never);
  const view = new BatchView('b');
  await view.follow();
  expect([view.busy, view.error]).toEqual([true, null]);

  answer = () => {
    throw new Error('no connection');
  };
  await vi.advanceTimersByTimeAsync(500);
  const { error } = view;
  expect(String(error)).toContain('no connection');

  let arrive: (data: unknown) => void = () => undefined;
  answer = () => new Promise((resolve) => (arrive = resolve));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveBeenCalledTimes(3);
  expect(view.error).toBe(error);
  arrive({ data: BATCH });
  await vi.advanceTimersByTimeAsync(0);
  expect(view.error).toBeNull();
  view.stop();
});

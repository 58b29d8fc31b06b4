import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProblemError } from '$lib/kit/api/problem';
import { toasts } from './toasts.svelte';

const texts = (): readonly string[] => toasts.items.map(({ text }) => text);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const { id } of toasts.items) toasts.close(id);
  vi.useRealTimers();
});

describe('notes at the edge of the screen', () => {
  it('go by themselves, later when there is something to decide, errors not at all', () => {
    toasts.success('saved');
    toasts.info('moved', { label: 'Undo', run: () => undefined });
    toasts.error('failed');
    vi.advanceTimersByTime(6_000);
    expect(texts()).toEqual(['moved', 'failed']);
    vi.advanceTimersByTime(60_000);
    expect(texts()).toEqual(['failed']);
  });

  it('stay while they are pointed at or have the focus', () => {
    toasts.success('saved');
    toasts.hold('pointer');
    toasts.hold('focus');
    toasts.success('again');
    vi.advanceTimersByTime(60_000);
    toasts.release('pointer');
    vi.advanceTimersByTime(60_000);
    expect(texts()).toEqual(['saved', 'again']);
    toasts.release('focus');
    vi.advanceTimersByTime(6_000);
    expect(texts()).toEqual([]);
  });

  it('say the same success once, from anew, and every failure', () => {
    toasts.success('saved');
    toasts.success('moved', { label: 'Undo', run: () => undefined });
    toasts.error('failed');
    vi.advanceTimersByTime(5_000);
    toasts.success('saved');
    toasts.success('moved');
    toasts.error('failed');
    expect(texts()).toEqual(['moved', 'failed', 'saved', 'moved', 'failed']);
    vi.advanceTimersByTime(5_000);
    expect(texts()).toContain('saved');
  });

  it('go on going once one was closed by its button', () => {
    toasts.success('saved');
    toasts.success('again');
    toasts.hold('focus');
    toasts.close(toasts.items[0]?.id ?? 0);
    vi.advanceTimersByTime(6_000);
    expect(texts()).toEqual([]);
  });

  it('say what came of an attempt only when it failed', async () => {
    await toasts.attempt(async () => undefined);
    expect(texts()).toEqual([]);
    await toasts.attempt(async () => {
      throw new ProblemError(500, 'internal', 'It broke.');
    });
    expect(texts()).toEqual(['It broke.']);
  });

  it('say of a failure which request it was', () => {
    toasts.problem(new ProblemError(500, 'internal', 'It broke.', [], 'r-1'));
    expect(toasts.items).toMatchObject([{ kind: 'error', text: 'It broke.', lang: 'en', requestId: 'r-1' }]);
  });
});

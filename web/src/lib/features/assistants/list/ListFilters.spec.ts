import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Filters } from './filters';
import ListFilters from './ListFilters.svelte';

const NONE: Filters = { type: null, q: '', mine: false };
const search = (): HTMLInputElement => screen.getByTestId('search-input');
const type = (value: string): Promise<unknown> => fireEvent.input(search(), { target: { value } });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('filters of the list', () => {
  it('keep what is being typed when the address follows', async () => {
    const onchange = vi.fn(() => Promise.resolve());
    const { rerender } = render(ListFilters, { filters: NONE, onchange });
    await type('foo ');
    vi.advanceTimersByTime(250);
    expect(onchange).toHaveBeenCalledWith({ ...NONE, q: 'foo' });
    await rerender({ filters: { ...NONE, q: 'foo' } });
    expect(search().value).toBe('foo ');
    await type('foo b');
    await rerender({ filters: { ...NONE, q: 'foo' } });
    expect(search().value).toBe('foo b');
  });

  it('follow the address when it goes back', async () => {
    const { rerender } = render(ListFilters, { filters: { ...NONE, q: 'foo' }, onchange: () => Promise.resolve() });
    await rerender({ filters: NONE });
    expect(search().value).toBe('');
  });

  it('keep the focus on the type that was pressed when its page takes their place', async () => {
    let settle = (): void => undefined;
    const onchange = (): Promise<void> => new Promise((resolve) => (settle = resolve));
    const { unmount } = render(ListFilters, { filters: NONE, onchange });
    await fireEvent.click(screen.getByTestId('filter-multi-tool'));
    unmount();
    render(ListFilters, { filters: { ...NONE, type: 'multi_tool' }, onchange });
    expect(document.activeElement).toBe(screen.getByTestId('filter-multi-tool'));
    settle();
    await vi.advanceTimersByTimeAsync(0);
    cleanup();
    render(ListFilters, { filters: { ...NONE, type: 'multi_tool' }, onchange });
    expect(document.activeElement).toBe(document.body);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { History } from './history.svelte';

describe('a history', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => vi.useRealTimers());

  it('joins what is typed without a pause into one step', () => {
    const history = new History('');
    history.push('a', null, 'typing');
    vi.advanceTimersByTime(400);
    history.push('ab', null, 'typing');
    vi.advanceTimersByTime(600);
    history.push('abc', null, 'typing');
    history.undo();
    expect(history.state).toBe('ab');
    history.undo();
    expect([history.state, history.canUndo]).toEqual(['', false]);
  });

  it('keeps a named step apart from the typing around it', () => {
    const history = new History('');
    history.push('a', null, 'typing');
    history.push('ba', 'Move', null);
    history.push('bac', null, 'typing');
    history.undo();
    expect([history.state, history.undoText]).toEqual(['ba', 'Move']);
    history.undo();
    expect([history.state, history.redoText]).toEqual(['a', 'Move']);
  });

  it('forgets what was undone when something new comes', () => {
    const history = new History(0);
    history.push(1, 'one');
    history.undo();
    history.push(2, 'two');
    expect(history.canRedo).toBe(false);
  });

  it('holds the last 300 steps', () => {
    const history = new History(0);
    for (let step = 1; step <= 400; step += 1) history.push(step, 'a step');
    while (history.canUndo) history.undo();
    expect(history.state).toBe(100);
  });
});

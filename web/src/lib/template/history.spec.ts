import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FixedTemplate } from './fixed-template.svelte';
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

describe('the template of a classic assistant', () => {
  it('knows the slots that its form tells, and leaves other braces alone', () => {
    const document = new FixedTemplate('{context} {1_context} {user_input} {x}', () => [
      { name: 'context', fills: false, title: 'Search' },
      { name: 'moodle_user', fills: true },
    ]);
    expect(document.slots).toEqual([
      { name: 'moodle_user', state: 'unused' },
      { name: 'user_input', state: 'used' },
      { name: 'context', state: 'undefined', title: 'Search' },
    ]);
    document.edit('{moodle_user}', 'Starter');
    expect([document.slots[0]?.state, document.undoText]).toEqual(['used', 'Starter']);
    document.undo();
    expect(document.template).toContain('{1_context}');
  });
});

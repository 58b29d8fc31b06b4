import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { carryOver, focusedIn, whenAtRest } from './stage';

const show = (html: string): HTMLElement => {
  document.body.innerHTML = `<div>${html}</div>`;
  return document.body.firstElementChild as HTMLElement;
};
const press = (button: number): boolean => dispatchEvent(new MouseEvent('pointerdown', { button }));
const NAME = '<input data-testid="name-input" type="text">';

// What comes a turn after an event comes when the test says so.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  document.body.innerHTML = '';
});

describe('the beginning of a form becomes the whole form', () => {
  it('takes text, focus and selection along', () => {
    const before = show(NAME).querySelector('input') as HTMLInputElement;
    before.value = 'Physics';
    before.focus();
    before.setSelectionRange(2, 4);
    const focused = focusedIn(document.body);
    const after = show(NAME).querySelector('input') as HTMLInputElement;
    const heard = vi.fn();
    after.addEventListener('input', heard);
    carryOver({ 'name-input': 'Physics' }, focused, null);
    expect(after.value).toBe('Physics');
    expect(heard).toHaveBeenCalledOnce();
    expect(document.activeElement).toBe(after);
    expect([after.selectionStart, after.selectionEnd]).toEqual([2, 4]);
  });

  it('presses the button that was pressed too early, and no other', () => {
    const button = show('<button data-testid="save-btn"></button>').querySelector('button') as HTMLButtonElement;
    const clicked = vi.fn();
    button.addEventListener('click', clicked);
    carryOver({}, null, null);
    expect(clicked).not.toHaveBeenCalled();
    carryOver({}, null, 'save-btn');
    expect(clicked).toHaveBeenCalledOnce();
  });

  it('leaves a focus outside alone', () => {
    show(NAME).querySelector('input')?.focus();
    expect(focusedIn(document.createElement('div'))).toBeNull();
  });

  it.each(['pointerup', 'pointercancel', 'contextmenu', 'blur'])(
    'waits until nothing is held down: %s',
    async (end) => {
      const field = show(NAME).querySelector('input') as HTMLInputElement;
      press(0);
      let rested = false;
      const rest = whenAtRest().then(() => (rested = true));
      await Promise.resolve();
      expect(rested).toBe(false);
      field.dispatchEvent(new FocusEvent('blur'));
      await vi.runAllTimersAsync();
      expect(rested).toBe(false);
      dispatchEvent(new Event(end));
      await vi.runAllTimersAsync();
      await rest;
    },
  );

  it('waits on while the pointer is dragged, and no longer when it comes back released', async () => {
    press(0);
    let rested = false;
    const rest = whenAtRest().then(() => (rested = true));
    dispatchEvent(new MouseEvent('pointermove', { buttons: 1 }));
    await vi.runAllTimersAsync();
    expect(rested).toBe(false);
    dispatchEvent(new MouseEvent('pointermove', { buttons: 0 }));
    await vi.runAllTimersAsync();
    await rest;
  });

  it('waits for a composed letter, also where its field went away before the end', async () => {
    dispatchEvent(new CompositionEvent('compositionstart'));
    let rested = false;
    const rest = whenAtRest().then(() => (rested = true));
    dispatchEvent(new KeyboardEvent('keydown', { key: 'a', isComposing: true }));
    await vi.runAllTimersAsync();
    expect(rested).toBe(false);
    dispatchEvent(new KeyboardEvent('keydown', { key: 'b' }));
    await vi.runAllTimersAsync();
    await rest;
  });

  it('takes a press of another button for no hold: its menu swallows the release', async () => {
    press(2);
    await whenAtRest();
  });
});

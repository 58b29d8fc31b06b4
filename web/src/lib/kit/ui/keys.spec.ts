import { describe, expect, it } from 'vitest';
import { isSave, stepOf } from './keys';

const press = (key: string, held: KeyboardEventInit = { ctrlKey: true }): KeyboardEvent =>
  new KeyboardEvent('keydown', { key, ...held });

describe('keys of forms', () => {
  it('save with Ctrl or Cmd, with Shift or Caps Lock on, too', () => {
    for (const event of [press('s'), press('S'), press('s', { metaKey: true })]) expect(isSave(event)).toBe(true);
    for (const event of [press('s', {}), press('x')]) expect(isSave(event)).toBe(false);
  });

  it('leave characters alone that AltGr writes', () => {
    const altGr = { ctrlKey: true, altKey: true };
    expect([isSave(press('s', altGr)), stepOf(press('z', altGr))]).toEqual([false, null]);
  });

  it('undo and redo', () => {
    expect(stepOf(press('z'))).toBe('undo');
    expect(stepOf(press('y'))).toBe('redo');
    expect(stepOf(press('Z', { metaKey: true, shiftKey: true }))).toBe('redo');
    expect([stepOf(press('z', {})), stepOf(press('a'))]).toEqual([null, null]);
  });
});

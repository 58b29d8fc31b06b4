import { afterEach, describe, expect, it } from 'vitest';
import { Saving } from './saving.svelte';
import { toasts } from './toasts.svelte';

const said = (): readonly string[] => toasts.items.map(({ text }) => text);

afterEach(() => {
  for (const { id } of toasts.items) toasts.close(id);
});

describe('saving', () => {
  it('is busy until it is done, and says so', async () => {
    const saving = new Saving();
    let finish = (): void => undefined;
    const running = saving.run(() => new Promise<void>((resolve) => (finish = resolve)), 'Saved');
    expect([saving.busy, said()]).toEqual([true, []]);
    finish();
    expect([await running, saving.busy, said()]).toEqual([true, false, ['Saved']]);
    await saving.run(async () => undefined, null);
    expect(said()).toEqual(['Saved']);
  });

  it('does one thing at a time', async () => {
    const saving = new Saving();
    const done: number[] = [];
    const save = (n: number): Promise<boolean> => saving.run(async () => void done.push(n), null);
    expect(await Promise.all([save(1), save(2)])).toEqual([true, false]);
    expect(done).toEqual([1]);
  });

  it('keeps why it failed until the next try', async () => {
    const saving = new Saving();
    const fail = async (): Promise<void> => {
      throw new Error('gone');
    };
    expect(await saving.run(fail, 'Saved')).toBe(false);
    expect([String(saving.error), saving.busy, said()]).toEqual(['Error: gone', false, []]);
    expect(await saving.run(async () => undefined, null)).toBe(true);
    expect(saving.error).toBeNull();
  });
});

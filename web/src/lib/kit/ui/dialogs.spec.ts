import { expect, it } from 'vitest';
import { dialogs } from './dialogs.svelte';

it('shows dialogs one above the other, and forgets one after it has closed', async () => {
  const load = () => Promise.reject(new Error('not shown here'));
  dialogs.open<{ open: boolean; name: string }>(load, { name: 'below' });
  dialogs.open<{ open: boolean; name: string }>(load, { name: 'above' });
  const [below, above] = dialogs.shown;
  expect([below?.props, above?.props]).toEqual([{ name: 'below' }, { name: 'above' }]);
  const closing = above === undefined ? undefined : dialogs.close(above);
  expect([above?.open, dialogs.shown.length]).toEqual([false, 2]);
  await closing;
  expect(dialogs.shown).toEqual([below]);
  dialogs.closeAll();
  expect(dialogs.shown).toEqual([]);
});

import { beforeEach, expect, it } from 'vitest';
import { dialogs } from './dialogs.svelte';

interface Named {
  open: boolean;
  name: string;
}
const comes = () => Promise.resolve({ default: (() => ({})) as never });
const namesOf = (): unknown[] => dialogs.shown.map(({ props }) => (props as Named).name);

beforeEach(() => dialogs.closeAll());

it('shows dialogs one above the other, and forgets one after it has closed', async () => {
  dialogs.open<Named>(comes, { name: 'below' });
  await dialogs.shown[0]?.load();
  dialogs.open<Named>(comes, { name: 'above' });
  expect(namesOf()).toEqual(['below', 'above']);
  const [, above] = dialogs.shown;
  const closing = above === undefined ? undefined : dialogs.close(above);
  expect([above?.open, dialogs.shown.length]).toEqual([false, 2]);
  await closing;
  expect(namesOf()).toEqual(['below']);
});

it('opens one dialog when its button is pressed again while the script is on its way', async () => {
  dialogs.open<Named>(comes, { name: 'first' });
  dialogs.open<Named>(comes, { name: 'again' });
  expect(namesOf()).toEqual(['again']);
});

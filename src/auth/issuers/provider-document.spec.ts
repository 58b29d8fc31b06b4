import { ProviderDocument } from './openid-client';

/** A document whose provider can go down, on a clock that the test moves. */
function scripted() {
  const state = { now: 0, isDown: false, reads: 0 };
  const read = async (): Promise<number> => {
    state.reads += 1;
    if (state.isDown) throw new Error('down');
    return state.reads;
  };
  return { state, document: new ProviderDocument(read, () => state.now) };
}
const MINUTE = 60_000;

it('a provider document is read once for ten minutes, and once for readers at the same moment', async () => {
  const { state, document } = scripted();
  await Promise.all([document.current(), document.current()]);
  state.now = 10 * MINUTE - 1;
  expect(await document.current()).toBe(1);
  state.now = 10 * MINUTE;
  expect(await document.current()).toBe(2);
});

it('stays good for a day while the provider is down, which is asked every five seconds at most', async () => {
  const { state, document } = scripted();
  await document.current();
  Object.assign(state, { isDown: true, now: 11 * MINUTE });
  expect(await document.current()).toBe(1);
  expect(await document.current()).toBe(1);
  expect(state.reads).toBe(2);
  state.now = 25 * 60 * MINUTE;
  await expect(document.current()).rejects.toMatchObject({ code: 'unavailable' });
});

it('a provider document that was never read is unavailable', async () => {
  const { state, document } = scripted();
  state.isDown = true;
  await expect(document.current()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  await expect(document.search()).rejects.toMatchObject({ code: 'unavailable' });
  expect(state.reads).toBe(1);
});

it('a provider document is searched for an unknown key once per cool-down', async () => {
  const { state, document } = scripted();
  await document.current();
  expect(await document.search()).toBe(2);
  expect(await document.search()).toBeNull();
  state.now = 6_000;
  expect(await document.search()).toBe(3);
});

import { afterEach, expect, it, vi } from 'vitest';
import { i18n } from './i18n.svelte';

afterEach(() => vi.unstubAllGlobals());

it('shows the language that was chosen last, whichever comes first', async () => {
  const arrivals: ((text: string) => void)[] = [];
  vi.stubGlobal(
    'fetch',
    () =>
      new Promise((resolve) => arrivals.push((text) => resolve(new Response(JSON.stringify({ 'shell.app': text }))))),
  );
  const first = i18n.use('eu');
  const second = i18n.use('es');
  arrivals[1]?.('spanish');
  await second;
  arrivals[0]?.('basque');
  await first;
  expect([i18n.locale, i18n.maybe('shell.app'), localStorage.getItem('bellwether.locale')]).toEqual([
    'es',
    'spanish',
    'es',
  ]);
});

it.each([
  [['en-GB', 'de'], '23 Nov 2026'],
  [['de', 'en-US'], 'Nov 23, 2026'],
])('writes dates as the browser’s languages %j do', async (languages, written) => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
  await i18n.use('en');
  expect(i18n.date('2026-11-23T12:00:00Z')).toBe(written);
});

it('says of a list that was not counted to its end that there are more', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
  await i18n.use('en');
  expect([999, 1_000, 1_001].map((length) => i18n.total(length))).toEqual(['999', '1,000', '1,000+']);
});

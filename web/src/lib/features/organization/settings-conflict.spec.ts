import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import type { SettingsConflict } from './organization.svelte';
import SettingsConflictDialog from './SettingsConflictDialog.svelte';

afterEach(cleanup);

const shown = (path: string, theirs: unknown, mine: unknown): void => {
  const conflict = {
    theirs: { version: 2, updated_at: null, prices: { currency: 'EUR' } },
    overlaps: [{ path, theirs, mine, secret: false }],
    choose: () => undefined,
  } as unknown as SettingsConflict;
  render(SettingsConflictDialog, { conflict });
};
const sides = (): string => screen.queryByTestId('conflict-field')?.textContent ?? '';

it.each([
  [
    'limits.terms',
    [{ to: '2026-12-31', from: '2026-09-01', name: 'Autumn' }],
    [{ name: 'Winter', from: '2027-01-10', to: '2027-02-20' }],
    ['Autumn · 2026-09-01 · 2026-12-31', 'Winter · 2027-01-10 · 2027-02-20'],
  ],
  [
    'prices.models',
    [],
    [{ provider: 'openai', model: 'gpt', from: '2026-01-01', input: 1, output: 2 }],
    ['openai · gpt · 2026-01-01 · 1 · 2'],
  ],
  ['default_model', { model: 'gpt', provider: 'openai' }, { provider: 'ollama', model: 'llama' }, ['openai · gpt']],
  ['limits.rules', [], [{ id: 'x', for: { kind: 'person' }, limit: 'runs', amount: 2 }], ['limits.sentence']],
  ['providers.openai', null, { base_url: 'https://x.example' }, ['https://x.example']],
] as const)(
  'a conflict of %s shows values in the order of its form, and no JSON',
  async (path, theirs, mine, words) => {
    shown(path, theirs, mine);
    const text = await sides();
    for (const word of words) expect(text).toContain(word);
    expect(text).not.toMatch(/[{}"[\]]/);
  },
);

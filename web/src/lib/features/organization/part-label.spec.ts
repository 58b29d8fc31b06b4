import { beforeAll, describe, expect, it, vi } from 'vitest';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { partLabel } from './part-label';

describe('the name of a setting', () => {
  beforeAll(() => {
    vi.spyOn(i18n, 'text').mockImplementation((key) => `[${key}]`);
    vi.spyOn(i18n, 'maybe').mockImplementation((key) => (key.endsWith('unheard_of') ? null : `[${key}]`));
  });

  it.each([
    ['name', '[organization.name]'],
    ['features.sharing', '[organization.feature.sharing]'],
    ['features.unheard_of', 'features.unheard_of'],
    ['limits.assistant_calls.per_day', '[organization.limit.assistant_calls.per_day]'],
    ['providers.openai', 'openai'],
    ['providers.openai.api_key', 'openai: [organization.providers.api_key]'],
    ['mcp.servers.library.url', 'library: [organization.server.url]'],
    ['moodle.token', '[organization.moodle.title]: [organization.server.token]'],
    ['unheard.of', 'unheard.of'],
  ])('%s', (path, name) => {
    expect(partLabel(path)).toBe(name);
  });
});

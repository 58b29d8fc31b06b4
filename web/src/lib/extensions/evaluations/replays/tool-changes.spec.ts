import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { changeableTools, changesFor, removableSettings, toolChangesText, withStored } from './tool-changes';

const tool = {
  plugin: 'simple_rag',
  placeholder: '1_context',
  enabled: true,
  config: { collections: ['a'], top_k: 3 },
};

beforeAll(async () => {
  const textsOf = (area: string): object =>
    JSON.parse(readFileSync(join(import.meta.dirname, `../../../kit/i18n/messages/${area}.en.json`), 'utf8'));
  const real = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(Response.json({ ...textsOf('tools'), ...textsOf('replays') }));
  await i18n.use('en');
  globalThis.fetch = real;
});

describe('changes of tools in a repetition', () => {
  it('hold the settings that differ, and nothing else', () => {
    expect(changesFor(tool, { collections: ['a'], top_k: 5, mode: 'keyword' })).toEqual({
      '1_context': { config: { top_k: 5, mode: 'keyword' } },
    });
    expect(changesFor(tool, { top_k: 3, collections: ['a'] })).toBeUndefined();
  });

  it('name the settings that are left out', () => {
    expect(changesFor(tool, { collections: ['a'] })).toEqual({ '1_context': { unset: ['top_k'] } });
    expect(changesFor(tool, { collections: ['a'], mode: 'keyword' })).toEqual({
      '1_context': { config: { mode: 'keyword' }, unset: ['top_k'] },
    });
    expect(toolChangesText({ '1_context': { unset: ['top_k'] } })).toBe('{1_context} Passages left out');
  });

  it('can leave out stored settings that are not required and differ from the default', () => {
    const schema = { required: ['collections'], properties: { top_k: { default: 5 } } };
    expect(removableSettings(tool, schema)).toEqual([['top_k', 'Passages']]);
    expect(removableSettings(tool, { ...schema, properties: { top_k: { default: 3 } } })).toEqual([]);
    expect(withStored(tool, { collections: ['b'], top_k: 9 }, 'top_k', false)).toEqual({ collections: ['b'] });
    expect(withStored(tool, { collections: ['b'] }, 'top_k', true)).toEqual({ collections: ['b'], top_k: 3 });
  });

  it('are offered for tools that fill a placeholder', () => {
    expect(changeableTools([tool, { plugin: 'check', enabled: true, config: {} }])).toEqual([tool]);
    expect(changeableTools()).toEqual([]);
  });

  it('are read as the settings are named', () => {
    const tools = { '1_context': { config: { top_k: 5, collections: ['b'] } }, '2_rubric': { enabled: false } };
    expect(toolChangesText(tools)).toBe('{1_context} Passages: 5 · {1_context} Knowledge bases · {2_rubric} off');
  });
});

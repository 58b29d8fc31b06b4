import { beforeAll, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { folded, isChosen, matchesSearch } from '$lib/features/schema-form/choices';
import { fileSize } from '$lib/kit/i18n/sizes';
import { problemsBelow } from '.';
import type { Names } from './names.svelte';
import { entryName } from './entry-name';
import { summaryOf } from './summary';

const names: Names = { of: (_kind, reference) => (reference === 'kb-1' ? 'Course Materials' : null) };

beforeAll(async () => {
  const texts = readFileSync(join(import.meta.dirname, '../../kit/i18n/messages/tools.en.json'), 'utf8');
  const real = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(new Response(texts));
  await i18n.use('en');
  globalThis.fetch = real;
});

async function loadCatalogue({ name, setting, reference }: Readonly<Record<'name' | 'setting' | 'reference', string>>) {
  const tool = { name, kind: 'pipeline', config_schema: { properties: { [setting]: { 'x-reference': reference } } } };
  const real = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(Response.json({ tools: [tool], count: 1 }));
  await catalogues.tools();
  globalThis.fetch = real;
}

describe('the line about a tool', () => {
  it('names what is searched and how much of it', () => {
    const config = { collections: ['kb-1', 'papers'], top_k: 5, threshold: 0.7 };
    expect(summaryOf('simple_rag', config, names)).toBe(
      'Searches “Course Materials”, “papers” · 5 passages · similarity from 0.7',
    );
  });

  it('tells of what is not chosen yet', async () => {
    await loadCatalogue({ name: 'single_file_rag', setting: 'file_path', reference: 'file' });
    expect(summaryOf('simple_rag', { collections: [] }, names)).toBe('No knowledge base chosen yet');
    expect(summaryOf('rubric_rag', { rubric_id: null, format: 'json' }, names)).toBe('No rubric chosen yet · JSON');
    expect(summaryOf('single_file_rag', {}, names)).toBe('No file chosen yet');
    expect(summaryOf('assistant', { assistant_id: null }, names)).toBe('No assistant chosen yet');
  });

  it('tells of tools nobody knows here what it can, and nothing of those without settings', () => {
    expect(summaryOf('from_elsewhere', { collections: ['kb-1'] }, names)).toBe('Searches “Course Materials”');
    expect(summaryOf('validation', { checks: 'answer' }, names)).toBe('checks the finished answer');
    expect(summaryOf('no_rag', {}, names)).toBe('');
  });
});

describe('the name of a tool', () => {
  const several: Names = { of: (kind, reference) => `${kind} ${String(reference)}` };

  it('is its label, whether it is stored or edited', () => {
    const config = { collections: ['kb-1'] };
    expect(entryName({ plugin: 'simple_rag', label: ' My notes ', config }, names)).toBe('My notes');
    expect(entryName({ plugin: 'simple_rag', extra: { label: 'My notes' }, config }, names)).toBe('My notes');
    expect(entryName({ plugin: 'simple_rag', label: ' ', config }, names)).toBe('Course Materials');
  });

  it('is what it reads, in short', () => {
    expect(entryName({ plugin: 'simple_rag', config: { collections: ['kb-1'] } }, names)).toBe('Course Materials');
    expect(entryName({ plugin: 'simple_rag', config: { collections: ['a', 'b', 'c', 'd'] } }, several)).toBe(
      'knowledge_base a, knowledge_base b +2',
    );
    const files: Names = { of: (_kind, reference) => String(reference) };
    expect(entryName({ plugin: 'single_file_rag', config: { file_path: 'week 1/task.pdf' } }, files)).toBe('task.pdf');
  });

  it('is its kind while nothing is chosen, or the content is not known', () => {
    expect(entryName({ plugin: 'simple_rag', config: { collections: [] } }, names)).toBe('simple_rag');
    expect(entryName({ plugin: 'simple_rag', config: { collections: ['kb-1', 'gone'] } }, names)).toBe('simple_rag');
  });
});

describe('what can be chosen', () => {
  const option = { value: 'id-1', name: 'Càlcul & Àlgebra', detail: '', aliases: ['calcul'] };
  it('is found without accents and by its other names', () => {
    expect(folded('Àlgebra')).toBe('algebra');
    expect(matchesSearch(option, ' ALGEBRA ')).toBe(true);
    expect(matchesSearch(option, 'id-1')).toBe(true);
    expect(matchesSearch(option, 'geometry')).toBe(false);
  });
  it('is chosen by id or alias, numbers too', () => {
    expect(isChosen(option, ['calcul'])).toBe(true);
    expect(isChosen({ ...option, value: 7 }, ['7'])).toBe(true);
    expect(isChosen(option, ['other'])).toBe(false);
  });
  it('has sizes that people read', () => {
    expect(fileSize(764)).toBe('764 bytes');
    expect(fileSize(1_500)).toBe('1.5 kB');
    expect(fileSize(2_000_000)).toBe('2 MB');
  });
});

it('problems of a tool lose the path of the tool', () => {
  const problems = [
    'metadata.tools[1].config.top_k',
    'metadata.tools[1].config',
    'metadata.tools[10].config.x',
    'name',
  ];
  expect(
    problemsBelow(
      problems.map((path) => ({ path, message: '' })),
      'metadata.tools[1].config',
    ).map(({ path }) => path),
  ).toEqual(['top_k', '']);
});

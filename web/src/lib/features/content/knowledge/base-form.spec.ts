import { beforeEach, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { KnowledgeBaseForm } from './base-form.svelte';
import type { KnowledgeBase } from './knowledge.types';

beforeEach(() => vi.restoreAllMocks());

const keysOf = (calls: readonly (readonly unknown[])[]): unknown[] =>
  calls.map(
    ([, sent]) => (sent as { params: { header: Readonly<Record<string, string>> } }).params.header['Idempotency-Key'],
  );

it('a knowledge base is made once: twice pressed is one request, and after a lost answer the same one', async () => {
  const post = vi.spyOn(api, 'POST').mockRejectedValueOnce(new ProblemError(0, 'offline', 'No answer'));
  post.mockResolvedValue({ data: { id: 'k1' } } as never);
  const form = new KnowledgeBaseForm(null);
  expect(form.dirty).toBe(false);
  form.name = 'Cells';
  expect(form.dirty).toBe(true);
  expect(await form.save()).toBeNull();
  expect(form.dirty).toBe(true);
  const [saved, again] = await Promise.all([form.save(), form.save()]);
  expect([saved?.id, again, form.dirty]).toEqual(['k1', null, false]);
  const [first, second, ...more] = keysOf(post.mock.calls);
  expect([second, more]).toEqual([first, []]);
});

it('a refusal of a knowledge base makes the next press another request', async () => {
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ProblemError(409, 'conflict', 'The name is taken'));
  const form = new KnowledgeBaseForm(null);
  form.name = 'Cells';
  await form.save();
  await form.save();
  expect(new Set(keysOf(post.mock.calls)).size).toBe(2);
});

const stored = (changes: object = {}): KnowledgeBase =>
  ({
    id: 'k1',
    slug: 'cells',
    name: 'Cells',
    description: '',
    language: null,
    language_chosen: false,
    languages: [],
    visibility: 'private',
    passages_shown: true,
    chunk_size: 2000,
    chunk_overlap: 200,
    chunk_count: 0,
    embedding: null,
    hybrid_weight: 0,
    rerank: false,
    version: 1,
    ...changes,
  }) as unknown as KnowledgeBase;
const STALE = new ProblemError(412, 'precondition_failed', 'another version');
const tagsOf = (calls: readonly (readonly unknown[])[]): unknown[] =>
  calls.map(([, sent]) => (sent as { params: { header: Record<string, string> } }).params.header['if-match']);

it('shows both sides where somebody else was faster, and overwrites, goes on or takes theirs', async () => {
  const theirs = stored({ version: 2, name: 'Theirs', slug: 'theirs' });
  vi.spyOn(api, 'GET').mockResolvedValue({ data: theirs } as never);
  const patch = vi.spyOn(api, 'PATCH').mockRejectedValue(STALE);
  const form = new KnowledgeBaseForm(stored());
  form.name = 'Mine';
  expect(await form.save()).toBeNull();
  expect(form.differences.map(({ path, theirs: left, mine }) => [path, left, mine])).toEqual([
    ['name', 'Theirs', 'Mine'],
    ['slug', 'theirs', 'cells'],
  ]);
  form.keepEditing();
  await form.save();
  patch.mockResolvedValueOnce({ data: stored({ version: 3, name: 'Mine' }) } as never);
  expect((await form.overwrite())?.version).toBe(3);
  expect(tagsOf(patch.mock.calls)).toEqual(['"1"', '"1"', '"2"']);
  expect(patch.mock.calls.at(-1)?.[1]).toMatchObject({ body: { name: 'Mine', slug: 'cells' } });

  const other = new KnowledgeBaseForm(stored());
  other.name = 'Mine';
  await other.save();
  other.takeTheirs();
  expect([other.name, other.slug, other.dirty, other.theirs]).toEqual(['Theirs', 'theirs', false, null]);
});

it('asks nobody about the language that the first document decided', async () => {
  vi.spyOn(api, 'GET').mockResolvedValue({ data: stored({ version: 2, language: 'eu' }) } as never);
  const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
  patch.mockResolvedValueOnce({ data: stored({ version: 3, language: 'eu', name: 'Mine' }) } as never);
  const form = new KnowledgeBaseForm(stored());
  form.name = 'Mine';
  expect((await form.save())?.version).toBe(3);
  expect(tagsOf(patch.mock.calls)).toEqual(['"1"', '"2"']);
});

it('hides the passages of answers where the owner wants so', async () => {
  const patch = vi.spyOn(api, 'PATCH').mockResolvedValue({ data: stored({ version: 2 }) } as never);
  const form = new KnowledgeBaseForm(stored());
  form.passagesShown = false;
  expect(form.dirty).toBe(true);
  await form.save();
  expect(patch.mock.calls[0]?.[1]).toMatchObject({ body: { passages_shown: false } });
  expect(new KnowledgeBaseForm(stored({ passages_shown: false })).passagesShown).toBe(false);
});

it('gives the choice of a language back to the documents', async () => {
  const patch = vi.spyOn(api, 'PATCH').mockResolvedValue({ data: stored({ version: 2 }) } as never);
  const form = new KnowledgeBaseForm(stored({ language: 'eu', language_chosen: true, chunk_count: 3 }));
  expect([form.language, form.reworks]).toEqual(['eu', false]);
  form.language = '';
  expect(form.reworks).toBe(true);
  await form.save();
  expect(patch.mock.calls[0]?.[1]).toMatchObject({ body: { language: null } });
  expect(new KnowledgeBaseForm(stored({ language: 'en' })).language).toBe('');
});

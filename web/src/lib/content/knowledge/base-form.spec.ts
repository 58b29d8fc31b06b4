import { beforeEach, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { KnowledgeBaseForm } from './base-form.svelte';

beforeEach(() => vi.restoreAllMocks());

const keysOf = (calls: readonly (readonly unknown[])[]): unknown[] =>
  calls.map(
    ([, sent]) => (sent as { params: { header: Readonly<Record<string, string>> } }).params.header['Idempotency-Key'],
  );

it('is made once: twice pressed is one request, and after a lost answer the same one', async () => {
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

it('is another wish after a refusal', async () => {
  const post = vi.spyOn(api, 'POST').mockRejectedValue(new ProblemError(409, 'conflict', 'The name is taken'));
  const form = new KnowledgeBaseForm(null);
  form.name = 'Cells';
  await form.save();
  await form.save();
  expect(new Set(keysOf(post.mock.calls)).size).toBe(2);
});

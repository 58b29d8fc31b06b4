import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { TemplateForm } from './template-form.svelte';
import type { PromptTemplate } from './template.types';

const stored = {
  id: 't1',
  name: 'Mine',
  description: '',
  type: 'multi_tool',
  system_prompt: '',
  prompt_template: '',
  version: 1,
};
const STALE = new ProblemError(412, 'precondition_failed', 'another version');
const sentTo = (calls: readonly unknown[]): unknown[] =>
  (calls as [string, { params: { header: Record<string, string> } }][]).map(
    ([, { params }]) => params.header['if-match'],
  );
const opened = (changes: object = {}): TemplateForm => new TemplateForm({ ...stored, ...changes } as PromptTemplate);

describe('a prompt template that is written', () => {
  beforeEach(() => vi.restoreAllMocks());

  it('is made once, however often saving is asked for, and keeps what is typed meanwhile', async () => {
    let arrive: (answer: unknown) => void = () => undefined;
    const post = vi.spyOn(api, 'POST').mockReturnValue(new Promise((resolve) => (arrive = resolve)) as never);
    const form = new TemplateForm(null);
    form.values.name = ' Mine ';
    const saving = form.save();
    expect(await form.save()).toBeNull();
    form.values.description = 'typed';
    arrive({ data: stored });
    expect(await saving).toEqual(stored);
    expect(post).toHaveBeenCalledTimes(1);
    expect([form.values.name, form.values.description, form.dirty]).toEqual(['Mine', 'typed', true]);
  });

  it('sends the same key again after silence, another after a refusal', async () => {
    const post = vi.spyOn(api, 'POST');
    post.mockRejectedValueOnce(new TypeError('network'));
    post.mockRejectedValueOnce(new ProblemError(400, 'validation_failed', 'no'));
    post.mockRejectedValueOnce(new ProblemError(503, 'unavailable', 'no'));
    const form = new TemplateForm(null);
    for (const _ of [1, 2, 3]) await form.save();
    const [first, second, third] = (post.mock.calls as unknown as [string, { params: { header: object } }][]).map(
      ([, { params }]) => Object.values(params.header)[0] as string,
    );
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('shows both sides where somebody else was faster, and overwrites only when told to', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue({ data: { ...stored, version: 2, description: 'theirs' } } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
    patch.mockResolvedValueOnce({ data: { ...stored, version: 3, description: 'mine' } } as never);
    const form = opened();
    form.values.description = 'mine';
    expect(await form.save()).toBeNull();
    expect(form.differences).toEqual([{ path: 'description', kind: 'value', theirs: 'theirs', mine: 'mine' }]);
    expect((await form.overwrite())?.version).toBe(3);
    expect([sentTo(patch.mock.calls), form.theirs, form.dirty]).toEqual([['"1"', '"2"'], null, false]);
  });

  it('takes theirs, or goes on and is asked again', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue({ data: { ...stored, version: 2, name: 'Theirs' } } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValue(STALE);
    const form = opened();
    form.values.name = 'Ours';
    await form.save();
    form.keepEditing();
    expect([form.theirs, form.values.name, form.dirty]).toEqual([null, 'Ours', true]);
    await form.save();
    form.takeTheirs();
    expect([form.values.name, form.dirty, form.saved?.version]).toEqual(['Theirs', false, 2]);
    expect(sentTo(patch.mock.calls)).toEqual(['"1"', '"1"']);
  });

  it('asks nobody where it was only shared meanwhile, or says the same', async () => {
    const get = vi.spyOn(api, 'GET').mockResolvedValue({ data: { ...stored, version: 2, shared: true } } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
    patch.mockResolvedValueOnce({ data: { ...stored, version: 3, name: 'Ours' } } as never);
    const form = opened();
    form.values.name = 'Ours';
    expect((await form.save())?.version).toBe(3);
    get.mockResolvedValue({ data: { ...stored, version: 5, name: 'Same' } } as never);
    patch.mockRejectedValueOnce(STALE);
    patch.mockResolvedValueOnce({ data: { ...stored, version: 5, name: 'Same' } } as never);
    form.values.name = 'Same';
    expect((await form.save())?.version).toBe(5);
    expect(sentTo(patch.mock.calls)).toEqual(['"1"', '"2"', '"3"', '"5"']);
  });

  it('still asks about what somebody else wrote after it was shared', async () => {
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValue(new ProblemError(503, 'unavailable', 'no'));
    const form = opened();
    form.shared({ ...stored, version: 2, shared: true } as PromptTemplate);
    await form.save();
    form.shared({ ...stored, version: 4, name: 'Theirs', shared: false } as PromptTemplate);
    await form.save();
    expect([form.saved?.shared, sentTo(patch.mock.calls)]).toEqual([false, ['"2"', '"2"']]);
  });

  it('shows what deleting was refused for, but never instead of what is unsaved', async () => {
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValue(new ProblemError(503, 'unavailable', 'no'));
    const form = new TemplateForm(stored as PromptTemplate);
    form.found({ ...stored, version: 2, name: 'Theirs' } as PromptTemplate);
    expect([form.values.name, form.dirty]).toEqual(['Theirs', false]);
    form.values.name = 'Mine';
    form.found({ ...stored, version: 3, name: 'Theirs again' } as PromptTemplate);
    await form.save();
    expect([form.values.name, sentTo(patch.mock.calls)]).toEqual(['Mine', ['"2"']]);
  });
});

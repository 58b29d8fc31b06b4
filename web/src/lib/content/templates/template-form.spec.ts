import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { TemplateForm } from './template-form.svelte';

const stored = { id: 't1', name: 'Mine', description: '', type: 'multi_tool', system_prompt: '', prompt_template: '' };

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
});

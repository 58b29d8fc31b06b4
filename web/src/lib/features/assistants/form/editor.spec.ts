import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Assistant } from '$lib/app/catalogues/assistant';
import { ClassicProcessors } from '$lib/app/catalogues/classic-processors';
import { ClassicForm } from './classic-form.svelte';
import { bodyOf } from './body';
import { Editor } from './editor.svelte';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';

vi.mock('$lib/kit/api/client', () => ({
  api: { GET: vi.fn(), POST: vi.fn(), PATCH: vi.fn() },
  must: ({ data }: { data: unknown }) => data,
  idempotencyKey: () => `key-${Math.random()}`,
}));
const patch = vi.mocked(api.PATCH) as unknown as ReturnType<typeof vi.fn>;
const get = vi.mocked(api.GET) as unknown as ReturnType<typeof vi.fn>;
const post = vi.mocked(api.POST) as unknown as ReturnType<typeof vi.fn>;
const ifMatch = (): unknown => patch.mock.lastCall?.[1].params.header['if-match'];

const STORED: Assistant = {
  id: 7,
  type: 'classic',
  name: 'Stored',
  description: '',
  system_prompt: '',
  prompt_template: '{user_input}',
  metadata: { rag_processor: 'no_rag', prompt_processor: 'simple_augment', connector: 'auto' },
  RAG_collections: [],
  RAG_Top_k: 3,
  version: 3,
  access: 'owner',
} as unknown as Assistant;

const NO_PROCESSORS = new ClassicProcessors([], []);

const editorOf = (assistant: Assistant = STORED): Editor =>
  new Editor(new ClassicForm(bodyOf(assistant), NO_PROCESSORS), assistant, 'u1');

describe('the editor of a form', () => {
  beforeEach(() => {
    localStorage.clear();
    vi.clearAllMocks();
  });

  it('is dirty while its content differs from what is stored, and only then', () => {
    const editor = editorOf();
    expect(editor.dirty).toBe(false);
    editor.form.name = 'Other';
    expect(editor.dirty).toBe(true);
    editor.form.name = 'Stored';
    expect(editor.dirty).toBe(false);
  });

  it('takes news of its version and newer ones, and no answer that was overtaken', () => {
    const editor = editorOf();
    editor.refresh({ ...STORED, published: true });
    expect(editor.saved?.published).toBe(true);
    editor.refresh({ ...STORED, name: 'Older', version: 2 });
    expect([editor.form.name, editor.saved?.version]).toEqual(['Stored', 3]);
    editor.refresh({ ...STORED, name: 'Newer', version: 4 });
    expect([editor.form.name, editor.saved?.version]).toEqual(['Newer', 4]);
  });

  it('saves on the version that it read, and goes on from the new one', async () => {
    const editor = editorOf();
    editor.form.name = 'Other';
    patch.mockResolvedValueOnce({ data: { ...STORED, name: 'Other', version: 4 } });
    expect(await editor.save()).toMatchObject({ version: 4 });
    expect(ifMatch()).toBe('"3"');
    expect([editor.dirty, editor.saved?.version]).toEqual([false, 4]);
  });

  it('shows the other side of a stale version, and overwrites or takes it as it is told', async () => {
    const theirs = { ...STORED, name: 'Theirs', version: 5 };
    for (const decision of ['overwrite', 'take'] as const) {
      const editor = editorOf();
      editor.form.name = 'Mine';
      patch.mockRejectedValueOnce(new ProblemError(412, 'precondition_failed', 'stale'));
      get.mockResolvedValueOnce({ data: theirs });
      expect(await editor.save()).toBeNull();
      expect(editor.theirs?.name).toBe('Theirs');
      if (decision === 'take') {
        editor.takeTheirs();
        expect([editor.form.name, editor.dirty, editor.saved?.version]).toEqual(['Theirs', false, 5]);
      } else {
        patch.mockResolvedValueOnce({ data: { ...theirs, name: 'Mine', version: 6 } });
        await editor.overwrite();
        expect(ifMatch()).toBe('"5"');
        expect([editor.dirty, editor.saved?.version]).toEqual([false, 6]);
      }
      localStorage.clear();
    }
  });

  it('keeps what was refused as a draft and points at its field until that is changed', async () => {
    const editor = editorOf();
    editor.form.name = 'Refused';
    const errors = [{ path: 'RAG_Top_k', message: 'must be at most 100' }];
    patch.mockRejectedValueOnce(new ProblemError(400, 'validation_failed', 'no', errors));
    expect(await editor.save()).toBeNull();
    expect(editor.problemOf('top_k')).toEqual({ text: 'must be at most 100', lang: 'en' });
    expect(editor.counts.error).toBe(1);
    expect(editor.shown).toMatchObject([{ severity: 'error', path: 'RAG_Top_k' }]);
    editor.form.name = 'Changed';
    expect(editor.problemOf('top_k')).toBeNull();

    const later = editorOf();
    expect(later.draft?.body.name).toBe('Refused');
    later.restoreDraft();
    expect([later.form.name, later.dirty]).toEqual(['Refused', true]);
  });

  it('meets a newer version when a draft of an older one is saved', () => {
    const editor = editorOf();
    editor.form.name = 'Draft';
    editor.keepDraft();
    const later = editorOf({ ...STORED, name: 'Newer', version: 9 });
    later.restoreDraft();
    expect(later.saved?.version).toBe(3);
  });

  it('gives a repeated creation the same key, so that a lost answer makes no second assistant', async () => {
    post.mockRejectedValueOnce(new TypeError('network'));
    post.mockResolvedValueOnce({ data: { ...STORED, id: 8, version: 1 } });
    const editor = new Editor(new ClassicForm(bodyOf(STORED), NO_PROCESSORS), null, 'u1');
    expect(await editor.save()).toBeNull();
    expect(await editor.save()).toMatchObject({ id: 8 });
    const [first, second] = post.mock.calls.map(([, options]) => options.params.header['Idempotency-Key']);
    expect(first).toMatch(/^key-/);
    expect(second).toBe(first);
  });

  it('keeps the key after a fault of the service, and forgets it after a refusal', async () => {
    post.mockRejectedValueOnce(new ProblemError(503, 'unavailable', 'later'));
    post.mockRejectedValueOnce(new ProblemError(400, 'validation_failed', 'no'));
    post.mockResolvedValueOnce({ data: { ...STORED, id: 8, version: 1 } });
    const editor = new Editor(new ClassicForm(bodyOf(STORED), NO_PROCESSORS), null, 'u1');
    for (const _ of [1, 2, 3]) await editor.save();
    const [first, second, third] = post.mock.calls.map(([, options]) => options.params.header['Idempotency-Key']);
    expect(second).toBe(first);
    expect(third).not.toBe(second);
  });

  it('offers a draft until it is decided, whatever is typed or saved meanwhile', async () => {
    const before = editorOf();
    before.form.name = 'Found';
    before.keepDraft();
    const editor = editorOf();
    editor.form.name = 'Typed';
    editor.keepDraft();
    patch.mockResolvedValueOnce({ data: { ...STORED, name: 'Typed', version: 4 } });
    await editor.save();
    expect(editor.draft?.body.name).toBe('Found');

    const later = editorOf({ ...STORED, name: 'Typed', version: 4 });
    later.form.name = 'More';
    later.restoreDraft();
    expect([later.form.name, later.draft?.body.name]).toEqual(['Found', 'More']);
    later.discardDraft();
    expect(later.draft).toBeNull();
    expect(editorOf().draft?.body.name).toBe('Found');
  });

  it('leaves the draft of another open tab alone when it is typed in, saved or left', async () => {
    const created = (): Editor => new Editor(new ClassicForm(bodyOf(STORED), NO_PROCESSORS), null, 'u1');
    const [one, other] = [created(), created()];
    one.form.name = 'Of the first tab';
    one.keepDraft();
    other.form.name = 'Of the second tab';
    other.keepDraft();
    post.mockResolvedValueOnce({ data: { ...STORED, id: 8, name: 'Of the second tab', version: 1 } });
    await other.save();
    expect(created().draft?.body.name).toBe('Of the first tab');
    one.abandon();
    expect(created().draft).toBeNull();
  });

  it('hands what was typed during the first save to the page of the new assistant', async () => {
    const editor = new Editor(new ClassicForm(bodyOf(STORED), NO_PROCESSORS), null, 'u1');
    editor.form.name = 'New';
    const made = { ...STORED, id: 8, name: 'New', version: 1 };
    post.mockImplementationOnce(async () => {
      editor.form.description = 'typed meanwhile';
      return { data: made };
    });
    await editor.save();
    expect(editor.dirty).toBe(true);
    expect(editorOf(made).draft?.body.description).toBe('typed meanwhile');
    expect(new Editor(new ClassicForm(bodyOf(STORED), NO_PROCESSORS), null, 'u1').draft).toBeNull();
  });
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { RubricDraft } from './rubric-draft.svelte';
import { addedCriterion, changedCriterion, changedLevel, closed, fresh } from './rubric-table';
import type { Rubric } from './rubric.types';

const AT = '2026-01-01T00:00:00.000Z';
const whole = () =>
  changedCriterion({ ...fresh(['Good', 'Poor'], AT), title: 'Essay' }, 0, { name: 'Style', description: 'How' });
const WHOLE = closed(whole(), AT);
const stored = (changes: Partial<Rubric> = {}): Rubric =>
  ({
    ...WHOLE,
    id: 'r1',
    access: 'owner',
    visibility: 'private',
    version: 1,
    updated_at: AT,
    ...changes,
  }) as Rubric;
const STALE = new ProblemError(412, 'precondition_failed', 'another version');
const tagOf = (call: readonly unknown[]): unknown =>
  (call as [string, { params: { header: Record<string, string> } }])[1].params.header['if-match'];

describe('a rubric that is written', () => {
  beforeEach(() => vi.restoreAllMocks());

  it('undoes and redoes exactly, typing in one field as one step', () => {
    const draft = new RubricDraft(null, whole());
    const begun = draft.document;
    draft.patch({ title: 'E' }, 'title');
    draft.patch({ title: 'Es' }, 'title');
    draft.change(addedCriterion(draft.document));
    const ended = draft.document;
    draft.undo();
    expect(draft.document.title).toBe('Es');
    draft.undo();
    expect(draft.document).toBe(begun);
    expect([draft.canUndo, draft.dirty]).toEqual([false, false]);
    draft.redo();
    draft.redo();
    expect(draft.document).toBe(ended);
    expect(draft.canRedo).toBe(false);
  });

  it('shows levels of their own where an undo brings them back', () => {
    const draft = new RubricDraft(null, changedLevel(addedCriterion(whole()), 1, 0, { label: 'Other' }));
    expect(draft.uniform).toBe(false);
    draft.setUniform(true);
    draft.undo();
    expect(draft.uniform).toBe(false);
  });

  it('is not sent while something is missing', async () => {
    const post = vi.spyOn(api, 'POST');
    const draft = new RubricDraft(null, { ...whole(), title: '' });
    expect(draft.faults).toEqual([]);
    expect(await draft.save()).toBeNull();
    expect(draft.faultAt('title')).toBe('content.fault.missing');
    expect(post).not.toHaveBeenCalled();
  });

  it('stops where somebody else was faster, then overwrites or takes theirs', async () => {
    const theirs = stored({ version: 2, title: 'Theirs' });
    vi.spyOn(api, 'GET').mockResolvedValue({ data: theirs } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
    patch.mockResolvedValueOnce({ data: stored({ version: 3, title: 'Mine' }) } as never);
    const draft = RubricDraft.of(stored());
    draft.patch({ title: 'Mine' }, 'title');
    expect(await draft.save()).toBeNull();
    expect([draft.theirs?.title, draft.error]).toEqual(['Theirs', null]);
    expect(await draft.overwrite()).not.toBeNull();
    expect([draft.dirty, draft.theirs]).toEqual([false, null]);
    expect(patch.mock.calls.map(tagOf)).toEqual(['"1"', '"2"']);

    patch.mockRejectedValueOnce(STALE);
    const other = RubricDraft.of(stored());
    other.patch({ title: 'Mine' }, 'title');
    await other.save();
    other.takeTheirs();
    expect([other.document.title, other.dirty]).toEqual(['Theirs', false]);
  });

  it('asks again after it went on being edited', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue({ data: stored({ version: 2, title: 'Theirs' }) } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValue(STALE);
    const draft = RubricDraft.of(stored());
    draft.patch({ title: 'Mine' }, 'title');
    await draft.save();
    draft.keepEditing();
    expect(draft.theirs).toBeNull();
    await draft.save();
    expect(draft.theirs?.title).toBe('Theirs');
    expect(patch.mock.calls.map(tagOf)).toEqual(['"1"', '"1"']);
  });

  it('asks nobody where it was only shown to others meanwhile', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue({ data: stored({ version: 2, visibility: 'organization' }) } as never);
    const patch = vi.spyOn(api, 'PATCH').mockRejectedValueOnce(STALE);
    patch.mockResolvedValueOnce({ data: stored({ version: 3 }) } as never);
    const draft = RubricDraft.of(stored());
    draft.patch({ title: 'Mine' }, 'title');
    expect((await draft.save())?.version).toBe(3);
    expect(patch.mock.calls.map(tagOf)).toEqual(['"1"', '"2"']);
  });

  it('still asks about what somebody else wrote after it was shown to others', async () => {
    const patch = vi.spyOn(api, 'PATCH').mockResolvedValue({ data: stored({ version: 9 }) } as never);
    const draft = RubricDraft.of(stored());
    draft.shared(stored({ version: 2, visibility: 'organization' }));
    draft.patch({ title: 'Mine' }, 'title');
    await draft.save();

    const overtaken = RubricDraft.of(stored());
    overtaken.shared(stored({ version: 3, title: 'Theirs', visibility: 'organization' }));
    overtaken.patch({ title: 'Mine' }, 'title');
    await overtaken.save();
    expect(patch.mock.calls.map(tagOf)).toEqual(['"2"', '"1"']);
  });

  it('shows what deleting was refused for, but never instead of what is unsaved', async () => {
    const patch = vi.spyOn(api, 'PATCH').mockResolvedValue({ data: stored({ version: 9 }) } as never);
    const draft = RubricDraft.of(stored());
    draft.found(stored({ version: 2, title: 'Theirs' }));
    expect([draft.document.title, draft.saved?.version, draft.dirty]).toEqual(['Theirs', 2, false]);
    draft.patch({ title: 'Mine' }, 'title');
    draft.found(stored({ version: 3, title: 'Theirs again' }));
    expect(draft.document.title).toBe('Mine');
    await draft.save();
    expect(patch.mock.calls.map(tagOf)).toEqual(['"2"']);
  });

  it('is made once when saving is asked for twice, and a repeated attempt sends the same', async () => {
    const post = vi.spyOn(api, 'POST').mockRejectedValueOnce(new TypeError('network'));
    post.mockResolvedValue({ data: stored() } as never);
    const draft = new RubricDraft(null, whole());
    expect(await draft.save()).toBeNull();
    const [saved, again] = await Promise.all([draft.save(), draft.save()]);
    expect([saved?.id, again]).toEqual(['r1', null]);
    expect(post).toHaveBeenCalledTimes(2);
    expect(post.mock.calls[1]).toEqual(post.mock.calls[0]);
  });

  it('keeps as a change what is typed while it is saved', async () => {
    let arrive = (_: never): void => undefined;
    vi.spyOn(api, 'POST').mockReturnValue(new Promise((resolve) => (arrive = resolve)) as never);
    const draft = new RubricDraft(null, whole());
    const saving = draft.save();
    draft.patch({ title: 'Later' }, 'title');
    arrive({ data: stored() } as never);
    await saving;
    expect(draft.dirty).toBe(true);
  });

  it('shows what the service refuses at its place', async () => {
    const refusal = new ProblemError(400, 'validation_failed', 'no', [{ path: 'title', message: 'is odd' }]);
    vi.spyOn(api, 'POST').mockRejectedValue(refusal);
    const draft = new RubricDraft(null, whole());
    expect(await draft.save()).toBeNull();
    expect(draft.faultAt('title')).toEqual({ text: 'is odd', lang: 'en' });
  });
});

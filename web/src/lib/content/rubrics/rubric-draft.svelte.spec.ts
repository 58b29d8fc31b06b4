import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RubricDraft } from './rubric-draft.svelte';
import { addedCriterion, changedCriterion, changedLevel, closed, fresh } from './rubric-table';
import type { Rubric } from './rubric.types';

const AT = '2026-01-01T00:00:00.000Z';
const whole = () =>
  changedCriterion({ ...fresh(['Good', 'Poor'], AT), title: 'Essay' }, 0, { name: 'Style', description: 'How' });
const stored = (at = AT): Rubric =>
  ({ ...closed(whole(), AT), id: 'r1', access: 'owner', visibility: 'private', updated_at: at }) as Rubric;

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
    expect(draft.faultAt('title')).toMatchObject({ kind: 'missing' });
    expect(post).not.toHaveBeenCalled();
  });

  it('stops where somebody else was faster, then overwrites or takes theirs', async () => {
    vi.spyOn(api, 'GET').mockResolvedValue({ data: stored('2026-01-02T00:00:00.000Z') } as never);
    const put = vi.spyOn(api, 'PUT').mockResolvedValue({ data: stored('2026-01-03T00:00:00.000Z') } as never);
    const draft = RubricDraft.of(stored());
    draft.patch({ title: 'Mine' }, 'title');
    expect(await draft.save()).toBeNull();
    expect(draft.theirs?.updated_at).toBe('2026-01-02T00:00:00.000Z');
    expect(put).not.toHaveBeenCalled();
    expect(await draft.save(true)).not.toBeNull();
    expect([draft.dirty, draft.theirs]).toEqual([false, null]);

    const other = RubricDraft.of(stored());
    other.patch({ title: 'Mine' }, 'title');
    await other.save();
    other.takeTheirs();
    expect([other.document.title, other.dirty]).toEqual(['Essay', false]);
  });

  it('still asks about what somebody else wrote after it was shown to others', async () => {
    const later = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;
    const get = vi.spyOn(api, 'GET').mockResolvedValue({ data: stored(later(2)) } as never);
    vi.spyOn(api, 'PUT').mockResolvedValue({ data: stored(later(5)) } as never);
    const read = stored();
    const draft = RubricDraft.of(read);
    draft.shared({ ...read, updated_at: later(2), visibility: 'organization' });
    draft.patch({ title: 'Mine' }, 'title');
    expect(await draft.save()).not.toBeNull();

    const theirs = { ...read, updated_at: later(3), title: 'Theirs' };
    const overtaken = RubricDraft.of(read);
    overtaken.shared({ ...theirs, visibility: 'organization' });
    overtaken.shared({ ...theirs, updated_at: later(4) });
    get.mockResolvedValue({ data: { ...theirs, updated_at: later(4) } } as never);
    overtaken.patch({ title: 'Mine' }, 'title');
    expect(await overtaken.save()).toBeNull();
    expect(overtaken.theirs?.title).toBe('Theirs');
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
    expect(draft.faultAt('title')).toBe('is odd');
  });
});

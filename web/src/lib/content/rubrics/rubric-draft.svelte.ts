import { api, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { ifMatch, sendUpon } from '$lib/api/versions';
import { catalogues } from '$lib/catalogues.svelte';
import { History } from '$lib/ui/history.svelte';
import { type Fault, faultsOf } from './rubric-check';
import { closed, isUniform, madeUniform, now, opened } from './rubric-table';
import type { Rubric, RubricDocument } from './rubric.types';

/** A rubric while it is written: the document, what can be undone, and what is saved. */
export class RubricDraft {
  /** Null until it is saved for the first time. */
  saved = $state.raw<Rubric | null>(null);
  saving = $state(false);
  error = $state.raw<unknown>(null);
  /** Somebody saved another version since this one was read. */
  theirs = $state.raw<Rubric | null>(null);
  /** Faults are shown once saving was tried. */
  tried = $state(false);
  /** One label and score for each column. */
  uniform = $state(true);
  private history = $state.raw<History<RubricDocument>>() as History<RubricDocument>;
  private untouched = $state.raw<RubricDocument>() as RubricDocument;
  private readonly key = new RepeatKey();
  /** What was sent last, with its time: sent again it is the same. */
  private sent: { readonly of: RubricDocument; readonly body: RubricDocument } | null = null;

  readonly dirty = $derived.by(() => this.document !== this.untouched);
  readonly canUndo = $derived.by(() => this.history.canUndo);
  readonly canRedo = $derived.by(() => this.history.canRedo);
  readonly faults = $derived.by((): readonly Fault[] => (this.tried ? faultsOf(this.document) : []));

  constructor(rubric: Rubric | null, document: RubricDocument) {
    this.begin(rubric, document);
  }

  static of(rubric: Rubric): RubricDraft {
    return new RubricDraft(rubric, opened(rubric));
  }

  get document(): RubricDocument {
    return this.history.state;
  }

  /** One step that can be undone; what follows at once with the same `tag` (typing in one field) belongs to it. */
  change(document: RubricDocument, tag: string | null = null): void {
    this.history.push(document, null, tag);
  }

  patch(changes: Partial<RubricDocument>, tag: string): void {
    this.change({ ...this.document, ...changes }, tag);
  }

  undo(): void {
    this.history.undo();
    this.showLevels();
  }

  redo(): void {
    this.history.redo();
    this.showLevels();
  }

  setUniform(uniform: boolean): void {
    if (uniform && !isUniform(this.document)) this.change(madeUniform(this.document));
    this.uniform = uniform;
  }

  /** What is wrong at a path: a fault by its kind, or the service's words. */
  faultAt(path: string): Fault | string | null {
    const told = this.error instanceof ProblemError ? this.error.errors.find((each) => each.path === path) : undefined;
    return this.faults.find((each) => each.path === path) ?? told?.message ?? null;
  }

  /** The saved rubric; null when it is not complete, was refused, or somebody else was faster (`theirs`). */
  async save(): Promise<Rubric | null> {
    if (this.saving) return null;
    this.tried = true;
    this.error = null;
    if (this.faults.length > 0) return null;
    this.saving = true;
    try {
      const sent = this.document;
      const body = this.bodyOf(sent);
      const rubric =
        this.saved === null ? await create(body, this.key.for(body)) : await this.replace(this.saved, body);
      if (rubric === null) return null;
      catalogues.forget();
      this.settle(rubric, sent);
      return rubric;
    } catch (error) {
      this.error = error;
      this.key.failed(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** Writes this document over the one that somebody else saved. */
  overwrite(): Promise<Rubric | null> {
    this.saved = this.theirs ?? this.saved;
    this.theirs = null;
    return this.save();
  }

  keepEditing(): void {
    this.theirs = null;
  }

  takeTheirs(): void {
    if (this.theirs !== null) this.begin(this.theirs, opened(this.theirs));
    this.theirs = null;
  }

  /**
   * Shown to others or kept to oneself, which is no edit. What somebody else wrote since this one was read stays unread:
   * saving asks about it still.
   */
  shared(rubric: Rubric): void {
    const { saved } = this;
    if (saved === null) return;
    this.saved = isSame(rubric, saved) ? rubric : { ...saved, visibility: rubric.visibility };
  }

  /** Somebody else's newer one: shown, unless something here is unsaved; then saving asks about it still. */
  found(rubric: Rubric): void {
    if (this.dirty) this.shared(rubric);
    else this.begin(rubric, opened(rubric));
  }

  /** Nothing is left to be saved: the rubric is gone. */
  discard(): void {
    this.untouched = this.document;
  }

  /** Saved: what was typed meanwhile stays a change. */
  private settle(rubric: Rubric, sent: RubricDocument): void {
    this.saved = rubric;
    this.theirs = null;
    this.untouched = sent;
    this.tried = false;
  }

  private bodyOf(document: RubricDocument): RubricDocument {
    if (this.sent?.of !== document) this.sent = { of: document, body: closed(document, now()) };
    return this.sent.body;
  }

  private begin(rubric: Rubric | null, document: RubricDocument): void {
    this.saved = rubric;
    this.history = new History(document);
    this.untouched = document;
    this.uniform = isUniform(document);
    this.tried = false;
    this.error = null;
  }

  /** Levels of a criterion's own are shown as such where a step brings them back. */
  private showLevels(): void {
    if (!isUniform(this.document)) this.uniform = false;
  }

  private async replace(read: Rubric, body: RubricDocument): Promise<Rubric | null> {
    const path = { id: read.id };
    const told = await sendUpon<Rubric>(read.version, {
      send: async (version) =>
        must(await api.PATCH('/api/v1/rubrics/{id}', { params: { path, header: ifMatch(version) }, body })),
      read: async () => must(await api.GET('/api/v1/rubrics/{id}', { params: { path } })),
      losesNothing: (theirs) => isSame(theirs, read),
    });
    if ('saved' in told) return told.saved;
    this.theirs = told.theirs;
    return null;
  }
}

/** Apart from who may read it. */
const isSame = (one: Rubric, other: Rubric): boolean => JSON.stringify(opened(one)) === JSON.stringify(opened(other));

const create = async (body: RubricDocument, key: string): Promise<Rubric> =>
  must(await api.POST('/api/v1/rubrics', { params: { header: { 'Idempotency-Key': key } }, body }));

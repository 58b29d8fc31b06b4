import { api, must } from '$lib/kit/api/client';
import { same } from '$lib/kit/ui/differences';
import { ifMatch } from '$lib/kit/api/versions';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { History } from '$lib/kit/ui/history.svelte';
import { fieldWords } from '$lib/kit/ui/field-problems';
import type { Wording } from '$lib/kit/ui/wording';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import { type Fault, faultsOf } from './rubric-check';
import { closed, isUniform, madeUniform, now, opened } from './rubric-table';
import type { Rubric, RubricDocument } from './rubric.types';

/** A document and the body it is sent as: its time stays the same when it is sent again. */
interface Sent {
  readonly of: RubricDocument;
  readonly body: RubricDocument;
}

/** The form of a rubric: the document with its undo history. */
export class RubricDraft extends VersionedForm<Rubric, Sent> {
  /** Faults show once saving was tried. */
  tried = $state(false);
  /** One label and score for each column. */
  uniform = $state(true);
  private history = $state.raw<History<RubricDocument>>() as History<RubricDocument>;
  private untouched = $state.raw<RubricDocument>() as RubricDocument;
  private sent: Sent | null = null;

  readonly dirty = $derived.by(() => this.document !== this.untouched);
  readonly canUndo = $derived.by(() => this.history.canUndo);
  readonly canRedo = $derived.by(() => this.history.canRedo);
  readonly faults = $derived.by((): readonly Fault[] => (this.tried ? faultsOf(this.document) : []));

  constructor(rubric: Rubric | null, document: RubricDocument) {
    super();
    this.begin(rubric, document);
  }

  static of(rubric: Rubric): RubricDraft {
    return new RubricDraft(rubric, opened(rubric));
  }

  get document(): RubricDocument {
    return this.history.state;
  }

  /** One undo step; changes that follow at once with the same `tag` (typing in one field) join it. */
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

  /** Fault at a path: found here, or told by the service. */
  faultAt(path: string): Wording | null {
    const own = this.faults.find((each) => each.path === path);
    return own === undefined ? fieldWords(this.error, path) : t(`content.fault.${own.kind}`);
  }

  /** Visibility is no edit: saving still asks about content that another person changed. */
  shared(rubric: Rubric): void {
    const { saved } = this;
    if (saved === null) return;
    this.saved = isSame(rubric, saved) ? rubric : { ...saved, visibility: rubric.visibility };
  }

  /** Shows a newer version unless something is unsaved here; then saving asks. */
  found(rubric: Rubric): void {
    if (this.dirty) this.shared(rubric);
    else this.show(rubric);
  }

  /** The rubric was deleted: nothing is unsaved any more. */
  discard(): void {
    this.untouched = this.document;
  }

  protected override async write(base: Rubric | null): Promise<Rubric | null> {
    if (this.saving) return null;
    this.tried = true;
    this.error = null;
    return this.faults.length > 0 ? null : super.write(base);
  }

  protected body(): Sent {
    const of = this.document;
    if (this.sent?.of !== of) this.sent = { of, body: closed(of, now()) };
    return this.sent;
  }

  protected async create({ body }: Sent, key: string): Promise<Rubric> {
    return must(await api.POST('/api/v1/rubrics', { params: { header: { 'Idempotency-Key': key } }, body }));
  }

  protected async update({ id }: Rubric, version: number, { body }: Sent): Promise<Rubric> {
    const params = { path: { id }, header: ifMatch(version) };
    return must(await api.PATCH('/api/v1/rubrics/{id}', { params, body }));
  }

  protected async read({ id }: Rubric): Promise<Rubric> {
    return must(await api.GET('/api/v1/rubrics/{id}', { params: { path: { id } } }));
  }

  protected losesNothing(base: Rubric, theirs: Rubric): boolean {
    return isSame(theirs, base);
  }

  protected settle(rubric: Rubric, { of }: Sent): void {
    forgetCatalogues();
    this.saved = rubric;
    this.untouched = of;
    this.tried = false;
  }

  protected show(rubric: Rubric): void {
    this.begin(rubric, opened(rubric));
  }

  private begin(rubric: Rubric | null, document: RubricDocument): void {
    this.saved = rubric;
    this.history = new History(document);
    this.untouched = document;
    this.uniform = isUniform(document);
    this.tried = false;
    this.error = null;
  }

  /** An undo step can bring back criteria with levels of their own. */
  private showLevels(): void {
    if (!isUniform(this.document)) this.uniform = false;
  }
}

/** Equal apart from visibility. */
const isSame = (one: Rubric, other: Rubric): boolean => same(opened(one), opened(other));

import { api, must } from '$lib/kit/api/client';
import { fingerprint } from '$lib/kit/ui/differences';
import { type FieldProblem, ProblemError } from '$lib/kit/api/problem';
import { ifMatch } from '$lib/kit/api/versions';
import { formInstance } from '$lib/app/session/own-work';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import { wordsOf } from '$lib/kit/ui/field-problems';
import type { Wording } from '$lib/kit/ui/wording';
import type { Assistant, Diagnostic } from '$lib/app/catalogues/assistant';
import { bodyOf, type DefinitionBody } from './body';
import { checksOf, countsOf } from './checklist';
import { draftKey, draftOf, dropDraft, findDrafts, type FoundDraft, writeDraft } from './draft';
import type { LiveRun } from '$lib/features/run/live-run.svelte';
import type { LastRun } from './flow-states';
import type { AssistantForm } from './form.types';
import type { Part } from './targets';
import { targetOf } from './targets';

const NOTHING: readonly Diagnostic[] = [];
const NO_PROBLEMS: readonly FieldProblem[] = [];

/** Saving of an assistant's form: refused fields, checks, and drafts of unsaved work in this browser. */
export class Editor extends VersionedForm<Assistant, DefinitionBody> {
  /** Unsaved work found when the form was opened and not decided yet, newest first. */
  private drafts = $state.raw<readonly FoundDraft[]>([]);
  readonly draft = $derived(this.drafts[0] ?? null);
  /** Set by the component that asks for them. */
  diagnostics = $state.raw<readonly Diagnostic[]>(NOTHING);

  /** The last run of the playground beside the form. */
  lastRun = $state.raw<LastRun | null>(null);

  /** Names this opening of the form in what the browser keeps of it. */
  readonly instance = formInstance();
  private untouched = $state('');
  private readonly now = $derived.by(() => this.form.body());
  private readonly mark = $derived(fingerprint(this.now));
  readonly dirty = $derived(this.mark !== this.untouched);
  /** Fields that the last save was refused for, and the content that had them. */
  private refused = $state.raw<{ readonly of: string; readonly problems: readonly FieldProblem[] } | null>(null);
  /** A refusal holds until the content changes. */
  private readonly current = $derived(this.refused?.of === this.mark ? this.refused.problems : NO_PROBLEMS);
  /** Diagnostics of the service, and refused fields that it does not name there. */
  readonly shown = $derived.by((): readonly Diagnostic[] => [
    ...this.diagnostics,
    ...this.current
      .filter(({ path }) => !this.diagnostics.some((known) => known.path === path && known.severity === 'error'))
      .map(({ path, message, code = 'tool.invalid' }) => ({ severity: 'error', path, message, code }) as Diagnostic),
  ]);
  readonly checks = $derived.by(() =>
    checksOf({
      name: this.form.name,
      untouched: this.saved === null && !this.dirty,
      diagnostics: this.diagnostics,
      refused: this.current,
    }),
  );
  readonly counts = $derived(countsOf(this.checks));

  constructor(
    readonly form: AssistantForm,
    assistant: Assistant | null,
    private readonly user: string,
  ) {
    super();
    this.saved = assistant;
    this.untouched = fingerprint(form.body());
    this.offer(findDrafts(user, form.type, assistant?.id ?? null, this.instance));
  }

  get content(): DefinitionBody {
    return this.now;
  }

  /** The service's complaint about a part of the form. */
  problemOf(part: Part): Wording | null {
    const found = this.current.find(({ path }) => targetOf(path).part === part);
    return found === undefined ? null : wordsOf(found);
  }

  /** Shows a version that another action made: restored, converted, imported. */
  accept(assistant: Assistant): void {
    this.form.load(bodyOf(assistant));
    this.settle(assistant);
  }

  /** Takes facts outside the form, such as publication; ignores an overtaken answer. */
  refresh(assistant: Assistant): void {
    if (this.saved === null) return;
    if (assistant.version === this.saved.version) this.saved = assistant;
    else if (!this.dirty && assistant.version > this.saved.version) this.accept(assistant);
  }

  /** Remembers what the run was made with: what is edited later is not what ran. */
  watch(live: LiveRun | null): void {
    if (live === (this.lastRun?.live ?? null)) return;
    this.lastRun = live === null ? null : { live, tools: this.form.tools };
  }

  keepDraft(): void {
    if (!this.dirty) return;
    writeDraft(this.draftKey, draftOf(this.saved?.version ?? null, this.now));
  }

  /**
   * Replaces the content with the found draft, and offers what was typed as a draft. The draft keeps its version, so that
   * saving finds a newer one.
   */
  restoreDraft(): void {
    const [draft, ...others] = this.drafts;
    if (draft === undefined) return;
    const typed = this.dirty ? [this.setAside()] : [];
    this.form.load(draft.body);
    if (this.saved !== null && draft.version !== null) this.saved = { ...this.saved, version: draft.version };
    this.keepDraft();
    dropDraft(draft.key);
    this.offer([...typed, ...others]);
  }

  discardDraft(): void {
    const [draft, ...others] = this.drafts;
    if (draft !== undefined) dropDraft(draft.key);
    this.offer(others);
  }

  /** Makes typed values a draft of their own. */
  private setAside(): FoundDraft {
    const typed = draftOf(this.saved?.version ?? null, this.now);
    const key = `${this.draftKey}-${typed.saved_at}`;
    writeDraft(key, typed);
    return { ...typed, key };
  }

  /** Gives up unsaved work. */
  abandon(): void {
    this.untouched = fingerprint(this.now);
    dropDraft(this.draftKey);
  }

  protected override async write(base: Assistant | null): Promise<Assistant | null> {
    if (this.saving || this.form.name.trim() === '') return null;
    this.refused = null;
    const saved = await super.write(base);
    if (saved !== null) return saved;
    this.keepDraft();
    if (this.error instanceof ProblemError && this.error.status !== 412)
      this.refused = { of: this.mark, problems: this.error.errors };
    return null;
  }

  protected body(): DefinitionBody {
    return this.now;
  }

  protected async create(body: DefinitionBody, key: string): Promise<Assistant> {
    return must(
      await api.POST('/api/v1/assistants', { params: { header: { 'Idempotency-Key': key } }, body: sent(body) }),
    );
  }

  protected async update({ id }: Assistant, version: number, body: DefinitionBody): Promise<Assistant> {
    const params = { path: { id }, header: ifMatch(version) };
    return must(await api.PATCH('/api/v1/assistants/{id}', { params, body: sent(body) }));
  }

  protected read({ id }: Assistant): Promise<Assistant> {
    return read(id);
  }

  protected losesNothing(): boolean {
    return false;
  }

  protected show(theirs: Assistant): void {
    // Another person may have converted it: the other type has another form.
    if (theirs.type === this.form.type) this.accept(theirs);
    else this.settle(theirs);
  }

  protected settle(assistant: Assistant, body: DefinitionBody = this.form.body()): void {
    dropDraft(this.draftKey);
    const wasNew = this.saved === null;
    this.saved = assistant;
    this.untouched = fingerprint(body);
    // Drafts of new assistants wait for the next new one.
    if (wasNew) this.drafts = [];
    else this.offer(this.drafts);
    this.error = null;
    this.refused = null;
    // The page of the new assistant finds what was typed during the request.
    this.keepDraft();
  }

  /** A draft that says what is saved has nothing to offer. */
  private offer(drafts: readonly FoundDraft[]): void {
    const isSaved = ({ body }: FoundDraft): boolean => fingerprint(body) === this.untouched;
    for (const { key } of drafts.filter(isSaved)) dropDraft(key);
    this.drafts = drafts.filter((draft) => !isSaved(draft));
  }

  private get draftKey(): string {
    return draftKey(this.user, this.form.type, this.saved?.id ?? null, this.instance);
  }
}

export const read = async (id: number): Promise<Assistant> =>
  must(await api.GET('/api/v1/assistants/{id}', { params: { path: { id } } }));

const sent = ({ RAG_collections, metadata, ...body }: DefinitionBody) => ({
  ...body,
  metadata: metadata as Record<string, unknown>,
  ...(RAG_collections === undefined ? {} : { RAG_collections: [...RAG_collections] }),
});

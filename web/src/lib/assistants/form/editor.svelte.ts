import { api, must } from '$lib/api/client';
import { type FieldProblem, ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { english, type Wording } from '$lib/ui/wording';
import type { Assistant, Diagnostic } from '../definition';
import { bodyOf, type DefinitionBody, fingerprint } from './body';
import { checksOf, countsOf } from './checklist';
import { type Draft, draftKey, draftOf, dropDraft, findDrafts, keepFound, writeDraft } from './draft';
import type { AssistantForm } from './form.types';
import type { Part } from './targets';
import { targetOf } from './targets';

const NOTHING: readonly Diagnostic[] = [];
const NO_PROBLEMS: readonly FieldProblem[] = [];

/**
 * Saving of one form: what is unsaved, what stands against saving, whose version is newer. Work that is not saved is kept
 * as a draft in this browser.
 */
export class Editor {
  /** As it was read or saved last; null until a new one is saved. */
  assistant = $state.raw<Assistant | null>(null);
  saving = $state(false);
  /** Why the last save failed. */
  error = $state.raw<unknown>(null);
  /** Somebody else's version, which the last save would have overwritten. */
  theirs = $state.raw<Assistant | null>(null);
  /** Unsaved work that was found when the form was opened and is not decided yet, the newest first. */
  private drafts = $state.raw<readonly Draft[]>([]);
  readonly draft = $derived(this.drafts[0] ?? null);
  /** Set by the component that asks for them. */
  diagnostics = $state.raw<readonly Diagnostic[]>(NOTHING);

  private saved = $state('');
  private readonly now = $derived.by(() => this.form.body());
  private readonly mark = $derived(fingerprint(this.now));
  readonly dirty = $derived(this.mark !== this.saved);
  /** Problems of single fields that the last save was refused for, and the content that had them. */
  private refused = $state.raw<{ readonly of: string; readonly problems: readonly FieldProblem[] } | null>(null);
  /** They are those of what is on the screen until something changes. */
  private readonly current = $derived(this.refused?.of === this.mark ? this.refused.problems : NO_PROBLEMS);
  /** For those who show problems at their place: what the service said while editing, and what it refused. */
  readonly shown = $derived.by((): readonly Diagnostic[] => [
    ...this.diagnostics,
    ...this.current
      .filter(({ path }) => !this.diagnostics.some((known) => known.path === path && known.severity === 'error'))
      .map(({ path, message, code = 'tool.invalid' }) => ({ severity: 'error', path, message, code }) as Diagnostic),
  ]);
  readonly checks = $derived.by(() =>
    checksOf({ name: this.form.name, diagnostics: this.diagnostics, refused: this.current }),
  );
  readonly counts = $derived(countsOf(this.checks));
  private readonly key = new RepeatKey();

  constructor(
    readonly form: AssistantForm,
    assistant: Assistant | null,
    private readonly user: string,
  ) {
    this.assistant = assistant;
    this.saved = fingerprint(form.body());
    this.offer(findDrafts(this.draftKey));
  }

  get body(): DefinitionBody {
    return this.now;
  }

  /** What the service said of a field; null when nothing. */
  problemAt(part: Part): Wording | null {
    return english(this.current.find(({ path }) => targetOf(path).part === part)?.message);
  }

  /** Null when it was not saved; `error`, `refused` or `theirs` say why. */
  async save(): Promise<Assistant | null> {
    if (this.saving || this.form.name.trim() === '') return null;
    return this.write(this.assistant?.version ?? null);
  }

  /** Writes this form's content over the version that somebody else saved. */
  async overwrite(): Promise<Assistant | null> {
    const version = this.theirs?.version ?? null;
    this.theirs = null;
    return this.write(version);
  }

  /** Gives this form's content up for the version that somebody else saved. */
  takeTheirs(): void {
    if (this.theirs === null) return;
    const { theirs } = this;
    this.theirs = null;
    // Somebody may have made another type of it: that is for another form.
    if (theirs.type === this.form.type) this.accept(theirs);
    else this.settle(theirs);
  }

  keepEditing(): void {
    this.theirs = null;
  }

  /** A version that came from elsewhere: restored, converted, published. */
  accept(assistant: Assistant): void {
    this.form.load(bodyOf(assistant));
    this.settle(assistant);
  }

  /** News of the same definition, such as its publication; an answer that was overtaken is none. */
  refresh(assistant: Assistant): void {
    if (this.assistant === null) return;
    if (assistant.version === this.assistant.version) this.assistant = assistant;
    else if (!this.dirty && assistant.version > this.assistant.version) this.accept(assistant);
  }

  keepDraft(): void {
    if (!this.dirty) return;
    writeDraft(this.draftKey, draftOf(this.assistant?.version ?? null, this.now));
  }

  /**
   * The draft that was found takes the place of what is stored; what was typed before is offered in its place. Its version
   * stays: a newer one shows when it is saved.
   */
  restoreDraft(): void {
    const [draft, ...others] = this.drafts;
    if (draft === undefined) return;
    const typed = this.dirty ? [draftOf(this.assistant?.version ?? null, this.now)] : [];
    this.form.load(draft.body);
    if (this.assistant !== null && draft.version !== null)
      this.assistant = { ...this.assistant, version: draft.version };
    this.keepDraft();
    this.offer([...typed, ...others]);
  }

  discardDraft(): void {
    this.offer(this.drafts.slice(1));
  }

  /** What is unsaved is given up. */
  abandon(): void {
    this.saved = fingerprint(this.now);
    dropDraft(this.draftKey);
  }

  private async write(version: number | null): Promise<Assistant | null> {
    this.saving = true;
    this.error = null;
    this.refused = null;
    const body = this.now;
    try {
      const saved = this.assistant === null ? await this.create(body) : await change(this.assistant.id, body, version);
      this.settle(saved, body);
      return saved;
    } catch (error) {
      await this.explain(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  private async create(body: DefinitionBody): Promise<Assistant> {
    const header = { 'Idempotency-Key': this.key.for(body) };
    return must(await api.POST('/api/v1/assistants', { params: { header }, body: sent(body) }));
  }

  private settle(assistant: Assistant, body: DefinitionBody = this.form.body()): void {
    dropDraft(this.draftKey);
    const wasNew = this.assistant === null;
    this.assistant = assistant;
    this.saved = fingerprint(body);
    // Drafts of new assistants are not of this one: they wait for the next.
    if (wasNew) this.drafts = [];
    else this.offer(this.drafts);
    this.error = null;
    this.refused = null;
    // What was typed while it was saved: the page of a new assistant finds it.
    this.keepDraft();
  }

  private offer(drafts: readonly Draft[]): void {
    this.drafts = drafts.filter(({ body }) => fingerprint(body) !== this.saved);
    keepFound(this.draftKey, this.drafts);
  }

  private get draftKey(): string {
    return draftKey(this.user, this.form.type, this.assistant?.id ?? null);
  }

  private async explain(error: unknown): Promise<void> {
    this.keepDraft();
    if (error instanceof ProblemError && error.status === 412 && this.assistant !== null) {
      try {
        this.theirs = await read(this.assistant.id);
        return;
      } catch (unreadable) {
        this.error = unreadable;
        return;
      }
    }
    this.error = error;
    this.key.failed(error);
    if (error instanceof ProblemError) this.refused = { of: this.mark, problems: error.errors };
  }
}

export const read = async (id: number): Promise<Assistant> =>
  must(await api.GET('/api/v1/assistants/{id}', { params: { path: { id } } }));

const change = async (id: number, body: DefinitionBody, version: number | null): Promise<Assistant> =>
  must(
    await api.PATCH('/api/v1/assistants/{id}', {
      params: { path: { id }, header: { 'if-match': version === null ? '*' : `"${version}"` } },
      body: sent(body),
    }),
  );

const sent = ({ RAG_collections, metadata, ...body }: DefinitionBody) => ({
  ...body,
  metadata: metadata as Record<string, unknown>,
  ...(RAG_collections === undefined ? {} : { RAG_collections: [...RAG_collections] }),
});

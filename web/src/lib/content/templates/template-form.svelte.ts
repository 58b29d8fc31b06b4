import { api, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { ifMatch, sendUpon } from '$lib/api/versions';
import { type Difference, differencesOf } from '$lib/ui/differences';
import { english, type Wording } from '$lib/ui/wording';
import type { PromptTemplate, TemplateType } from './template.types';

const MEMBERS = ['name', 'description', 'type', 'system_prompt', 'prompt_template'] as const;
type Values = Pick<PromptTemplate, (typeof MEMBERS)[number]>;
const EMPTY: Values = { name: '', description: '', type: 'multi_tool', system_prompt: '', prompt_template: '' };

const valuesOf = ({ name, description, type, system_prompt, prompt_template }: Values): Values => ({
  name,
  description,
  type,
  system_prompt,
  prompt_template,
});
const isSame = (one: Values, other: Values): boolean => MEMBERS.every((member) => one[member] === other[member]);

/** A prompt template while it is written. */
export class TemplateForm {
  values = $state<Values>({ ...EMPTY });
  saved = $state.raw<PromptTemplate | null>(null);
  saving = $state(false);
  error = $state.raw<unknown>(null);
  /** Somebody saved another version since this one was read. */
  theirs = $state.raw<PromptTemplate | null>(null);
  readonly differences = $derived.by((): readonly Difference[] =>
    this.theirs === null ? [] : differencesOf(valuesOf(this.theirs), this.values),
  );
  readonly dirty = $derived.by(() => {
    const before: Values = this.saved ?? EMPTY;
    return !this.gone && MEMBERS.some((member) => this.values[member] !== before[member]);
  });
  private gone = $state(false);
  private readonly key = new RepeatKey();

  constructor(template: PromptTemplate | null) {
    if (template !== null) this.show(template);
  }

  get type(): TemplateType {
    return this.values.type;
  }

  problemAt(path: string): Wording | null {
    if (!(this.error instanceof ProblemError)) return null;
    return english(this.error.errors.find((each) => each.path === path)?.message);
  }

  /** Null when it was refused (`error`), or somebody else was faster (`theirs`). */
  async save(): Promise<PromptTemplate | null> {
    if (this.saving) return null;
    this.saving = true;
    this.error = null;
    const body = { ...this.values };
    try {
      const template =
        this.saved === null ? await create(body, this.key.for(body)) : await this.update(this.saved, body);
      if (template !== null) this.settle(template, body);
      return template;
    } catch (error) {
      this.error = error;
      this.key.failed(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** Writes what is typed here over the version that somebody else saved. */
  overwrite(): Promise<PromptTemplate | null> {
    this.saved = this.theirs ?? this.saved;
    this.theirs = null;
    return this.save();
  }

  /** Gives what is typed here up for the version that somebody else saved. */
  takeTheirs(): void {
    if (this.theirs !== null) this.show(this.theirs);
    this.theirs = null;
  }

  keepEditing(): void {
    this.theirs = null;
  }

  /** Shared or not, which is no edit: what somebody else wrote since this one was read is asked about when it is saved. */
  shared(template: PromptTemplate): void {
    if (this.saved === null) return;
    this.saved = isSame(template, this.saved) ? template : { ...this.saved, shared: template.shared };
  }

  /** Somebody else's newer one: shown, unless something here is unsaved; then saving asks about it still. */
  found(template: PromptTemplate): void {
    if (this.dirty) this.shared(template);
    else this.show(template);
  }

  /** It was deleted: nothing is unsaved any more. */
  discard(): void {
    this.gone = true;
  }

  private async update(read: PromptTemplate, body: Values): Promise<PromptTemplate | null> {
    const path = { id: read.id };
    const told = await sendUpon<PromptTemplate>(read.version, {
      send: async (version) =>
        must(await api.PATCH('/api/v1/prompt-templates/{id}', { params: { path, header: ifMatch(version) }, body })),
      read: async () => must(await api.GET('/api/v1/prompt-templates/{id}', { params: { path } })),
      losesNothing: (theirs) => isSame(theirs, read) || isSame(theirs, body),
    });
    if ('saved' in told) return told.saved;
    this.theirs = told.theirs;
    return null;
  }

  /** As the service keeps it, but for what was typed meanwhile. */
  private settle(template: PromptTemplate, sent: Values): void {
    const typed = MEMBERS.filter((member) => this.values[member] !== sent[member]);
    const kept = Object.fromEntries(typed.map((member) => [member, this.values[member]]));
    this.show(template);
    this.values = { ...this.values, ...kept };
  }

  private show(template: PromptTemplate): void {
    this.saved = template;
    this.values = valuesOf(template);
  }
}

const create = async (body: Values, key: string): Promise<PromptTemplate> =>
  must(await api.POST('/api/v1/prompt-templates', { params: { header: { 'Idempotency-Key': key } }, body }));

import { api, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { english, type Wording } from '$lib/ui/wording';
import type { PromptTemplate, TemplateType } from './template.types';

const MEMBERS = ['name', 'description', 'type', 'system_prompt', 'prompt_template'] as const;
type Values = Pick<PromptTemplate, (typeof MEMBERS)[number]>;
const EMPTY: Values = { name: '', description: '', type: 'multi_tool', system_prompt: '', prompt_template: '' };

/** A prompt template while it is written. */
export class TemplateForm {
  values = $state<Values>({ ...EMPTY });
  saved = $state.raw<PromptTemplate | null>(null);
  saving = $state(false);
  error = $state.raw<unknown>(null);
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

  async save(): Promise<PromptTemplate | null> {
    if (this.saving) return null;
    this.saving = true;
    this.error = null;
    const body = { ...this.values };
    try {
      const template = this.saved === null ? await create(body, this.key.for(body)) : await update(this.saved.id, body);
      this.settle(template, body);
      return template;
    } catch (error) {
      this.error = error;
      this.key.failed(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** It was deleted: nothing is unsaved any more. */
  discard(): void {
    this.gone = true;
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
    this.values = Object.fromEntries(MEMBERS.map((member) => [member, template[member]])) as unknown as Values;
  }
}

const create = async (body: Values, key: string): Promise<PromptTemplate> =>
  must(await api.POST('/api/v1/prompt-templates', { params: { header: { 'Idempotency-Key': key } }, body }));

const update = async (id: string, body: Values): Promise<PromptTemplate> =>
  must(await api.PATCH('/api/v1/prompt-templates/{id}', { params: { path: { id } }, body }));

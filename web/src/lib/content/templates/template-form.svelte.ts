import { api, idempotencyKey, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
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

  constructor(template: PromptTemplate | null) {
    if (template !== null) this.show(template);
  }

  get type(): TemplateType {
    return this.values.type;
  }

  problemAt(path: string): string | null {
    if (!(this.error instanceof ProblemError)) return null;
    return this.error.errors.find((each) => each.path === path)?.message ?? null;
  }

  async save(): Promise<PromptTemplate | null> {
    this.saving = true;
    this.error = null;
    try {
      const body = { ...this.values };
      const template = this.saved === null ? await create(body) : await update(this.saved.id, body);
      this.show(template);
      return template;
    } catch (error) {
      this.error = error;
      return null;
    } finally {
      this.saving = false;
    }
  }

  /** It was deleted: nothing is unsaved any more. */
  discard(): void {
    this.gone = true;
  }

  private show(template: PromptTemplate): void {
    this.saved = template;
    this.values = Object.fromEntries(MEMBERS.map((member) => [member, template[member]])) as unknown as Values;
  }
}

const create = async (body: Values): Promise<PromptTemplate> =>
  must(
    await api.POST('/api/v1/prompt-templates', { params: { header: { 'Idempotency-Key': idempotencyKey() } }, body }),
  );

const update = async (id: string, body: Values): Promise<PromptTemplate> =>
  must(await api.PATCH('/api/v1/prompt-templates/{id}', { params: { path: { id } }, body }));

import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { ValuesForm } from '$lib/kit/ui/versioned-form.svelte';
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

/** The form of a prompt template. */
export class TemplateForm extends ValuesForm<PromptTemplate, Values, Values> {
  constructor(template: PromptTemplate | null) {
    // A template is sent whole.
    super(
      { fresh: () => ({ ...EMPTY }), valuesOf, changeOf: (_, values) => ({ ...values }), textOf: String },
      template,
    );
  }

  get type(): TemplateType {
    return this.values.type;
  }

  /** Sharing is no edit: saving still asks about content that another person changed. */
  shared(template: PromptTemplate): void {
    if (this.saved === null) return;
    this.saved = isSame(template, this.saved) ? template : { ...this.saved, shared: template.shared };
  }

  /** Shows a newer version unless something is unsaved here; then saving asks. */
  found(template: PromptTemplate): void {
    if (this.dirty) this.shared(template);
    else this.show(template);
  }

  protected override isChanged(): boolean {
    return !isSame(this.values, this.saved ?? EMPTY);
  }

  protected async create(body: Values, key: string): Promise<PromptTemplate> {
    const params = { header: { 'Idempotency-Key': key } };
    return must(await api.POST('/api/v1/prompt-templates', { params, body }));
  }

  protected async update({ id }: PromptTemplate, version: number, body: Values): Promise<PromptTemplate> {
    const params = { path: { id }, header: ifMatch(version) };
    return must(await api.PATCH('/api/v1/prompt-templates/{id}', { params, body }));
  }

  protected async read({ id }: PromptTemplate): Promise<PromptTemplate> {
    return must(await api.GET('/api/v1/prompt-templates/{id}', { params: { path: { id } } }));
  }
}

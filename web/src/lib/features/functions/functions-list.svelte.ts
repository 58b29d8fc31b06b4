import type { FunctionEntry, ToolInfo } from '$lib/app/catalogues/assistant';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import { placeOf } from '$lib/features/pipeline/problems-of-tools';
import { OPTIONS, type Option, isChosen } from '$lib/features/schema-form/choices';
import type { Reference } from '$lib/features/schema-form/schema-form';
import { api, must } from '$lib/kit/api/client';
import { codeText } from '$lib/kit/api/reasons';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { type Placed, newEntry, placedOf, settingsOf, targetOf, withSettings } from './function-entries';

/** Most functions of one definition that the service checks. */
const CHECKED_AT_ONCE = 100;

/**
 * Why assistants cannot be called, in the reader's language, by id; those that can be are not in it. The service knows it
 * of every assistant, also of those whose definition the reader does not see.
 */
export async function refusals(ids: readonly (string | number)[]): Promise<Readonly<Record<string, string>>> {
  const reasons: Record<string, string> = {};
  for (let start = 0; start < ids.length; start += CHECKED_AT_ONCE) {
    const some = ids.slice(start, start + CHECKED_AT_ONCE);
    // A stored id may be a text: the service judges it.
    const functions = some.map((id) => ({ type: 'assistant' as const, assistant_id: id as number }));
    const body = { template: '{user_input}', metadata: { assistant_type: 'multi_tool' as const, functions } };
    const { diagnostics } = must(await api.POST('/api/v1/assistants/validate', { body }));
    for (const { severity, code, message, path } of diagnostics) {
      const id = some[placeOf(path)?.index ?? -1];
      if (severity === 'error' && id !== undefined)
        reasons[id] = i18n.maybe(`functions.refused_${code.replace('.', '_')}`) ?? codeText(code) ?? message;
    }
  }
  return reasons;
}

export interface Choices {
  readonly options: readonly Option[] | null;
  readonly error: unknown;
}

const LOADING: Choices = { options: null, error: null };

/** The functions that a model may call, and what there is to choose from. */
export class FunctionsListState {
  /** Functions of the catalogue; null until they are known. */
  tools = $state.raw<readonly ToolInfo[] | null>(null);
  error = $state.raw<unknown>(null);
  private choices = $state.raw<Partial<Record<Reference, Choices>>>({});

  constructor(
    private readonly read: () => readonly FunctionEntry[],
    private readonly write: (functions: FunctionEntry[]) => void,
    private readonly assistantId: () => number | null,
  ) {}

  async load(): Promise<void> {
    this.error = null;
    try {
      this.tools = (await catalogues.tools()).filter(({ kind }) => kind === 'function');
    } catch (error) {
      this.error = error;
    }
  }

  choicesOf(kind: Reference): Choices {
    return this.choices[kind] ?? LOADING;
  }

  /** Fetches the things that a function can stand for when they are first looked at. */
  async choose(kind: Reference, again = false): Promise<void> {
    if (this.choices[kind] !== undefined && !again) return;
    this.choices = { ...this.choices, [kind]: LOADING };
    try {
      const options = await OPTIONS[kind]();
      const told = kind === 'assistant' ? await this.refused(options) : options;
      this.choices = { ...this.choices, [kind]: { options: told, error: null } };
    } catch (error) {
      this.choices = { ...this.choices, [kind]: { options: null, error } };
    }
  }

  /** The entry that stands for an option; undefined when none does. */
  entryOf(tool: ToolInfo, option: Option): Placed | undefined {
    const setting = targetOf(tool)?.setting ?? '';
    return placedOf(this.read(), tool).find(({ entry }) => isChosen(option, [settingsOf(entry)[setting]]));
  }

  /** Entries whose target is not among the options. */
  missing(tool: ToolInfo, options: readonly Option[]): readonly Placed[] {
    const setting = targetOf(tool)?.setting ?? '';
    return placedOf(this.read(), tool).filter(
      ({ entry }) => !options.some((option) => isChosen(option, [settingsOf(entry)[setting]])),
    );
  }

  add(tool: ToolInfo, value?: string | number): void {
    this.write([...this.read(), newEntry(tool, value)]);
  }

  remove(index: number): void {
    this.write(this.read().toSpliced(index, 1));
  }

  configure(index: number, settings: Readonly<Record<string, unknown>>): void {
    this.write(this.read().map((entry, at) => (at === index ? withSettings(entry, settings) : entry)));
  }

  clear(): void {
    this.write([]);
  }

  private async refused(options: readonly Option[]): Promise<readonly Option[]> {
    const reasons = await refusals(options.map(({ value }) => value));
    return options.map(({ refused: _refused, ...option }) => {
      const reason = option.value === this.assistantId() ? t('functions.refused_self') : reasons[option.value];
      return reason === undefined ? option : { ...option, refused: reason };
    });
  }
}

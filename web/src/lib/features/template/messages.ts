import type { Diagnostic } from '$lib/app/catalogues/assistant';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { USER_INPUT } from '@bellwether/kernel/templates';
import type { SlotState } from './document';

export type Fix =
  | { readonly kind: 'insert' | 'remove'; readonly name: string }
  | { readonly kind: 'enable'; readonly name: string; readonly key: number };

/** One line under the template. */
export interface TemplateMessage {
  readonly id: string;
  readonly severity: Diagnostic['severity'];
  readonly text: string;
  /** The slot that it is about. */
  readonly name?: string;
  /** The slot stands in the text and can be shown there. */
  readonly inText: boolean;
  readonly fixes: readonly Fix[];
}

/** Codes that the slots themselves tell; the service says the same a moment later. */
const KNOWN_HERE: ReadonlySet<Diagnostic['code']> = new Set([
  'placeholder.unused',
  'placeholder.undefined',
  'template.no_user_input',
]);
const TEMPLATE_PATHS: ReadonlySet<string> = new Set(['template', 'prompt_template']);

const REMOVED = /^removed_(\d+)_/;

/** Messages: first what is wrong, then what is unused, then what else the service says of the template. */
export function templateMessages(
  slots: readonly SlotState[],
  empty: boolean,
  diagnostics: readonly Diagnostic[],
): readonly TemplateMessage[] {
  const undefinedSlots = slots.filter(({ state }) => state === 'undefined');
  const unused = slots.filter(
    ({ state, name, optional }) => state === 'unused' && optional !== true && !(empty && name === USER_INPUT),
  );
  const others = diagnostics.filter(({ code, path }) => TEMPLATE_PATHS.has(path) && !KNOWN_HERE.has(code));
  return [
    ...undefinedSlots.map(undefinedMessage),
    ...unused.map(unusedMessage),
    ...others.map(({ code, severity, message }, index): TemplateMessage => ({
      id: `${code} ${index}`,
      severity,
      text: i18n.maybe(`template.diagnostic.${code}`) ?? message,
      inText: false,
      fixes: [],
    })),
  ];
}

function undefinedMessage({ name, key, title, later }: SlotState): TemplateMessage {
  const remove: Fix = { kind: 'remove', name };
  const placeholder = `{${name}}`;
  const common = { id: `undefined ${name}`, severity: 'error', name, inText: true } as const;
  if (later)
    return { ...common, text: t('template.undefined_later', { placeholder, tool: title ?? '' }), fixes: [remove] };
  if (key !== undefined)
    return {
      ...common,
      text: t('template.undefined_off', { placeholder, tool: title ?? '' }),
      fixes: [{ kind: 'enable', name, key }, remove],
    };
  const number = REMOVED.exec(name)?.[1];
  if (number !== undefined)
    return { ...common, text: t('template.undefined_removed', { placeholder, number }), fixes: [remove] };
  return { ...common, text: t('template.undefined', { placeholder }), fixes: [remove] };
}

const unusedMessage = ({ name, title }: SlotState): TemplateMessage => ({
  id: `unused ${name}`,
  name,
  inText: false,
  severity: 'warning',
  text: unusedText(`{${name}}`, name, title),
  fixes: [{ kind: 'insert', name }],
});

function unusedText(placeholder: string, name: string, tool: string | undefined): string {
  if (name === USER_INPUT) return t('template.no_user_input', { placeholder });
  return tool === undefined ? t('template.unused_plain', { placeholder }) : t('template.unused', { placeholder, tool });
}

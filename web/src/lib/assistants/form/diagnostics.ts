import { i18n, t } from '$lib/i18n/i18n.svelte';
import { problemText } from '$lib/pipeline/problems-of-tools';
import type { Diagnostic } from '$lib/definition/assistant';
import type { Check } from './checklist';
import { targetOf } from './targets';

interface Described {
  readonly text: string;
  /** The service's own words where they say more, in English. */
  readonly detail: string | null;
}

/** Codes whose text in the reader's language says all that there is to say. */
const COMPLETE: ReadonlySet<string> = new Set([
  'placeholder.unused',
  'template.no_user_input',
  'dependency.cycle',
  'connector.model_unavailable',
  'connector.not_configured',
  'rewrite.no_fast_model',
]);
const NAME = /\{([^{}\s]+)\}/;

/** A diagnostic in the reader's language; those of a tool say which. */
export function describe({ code, message, path }: Pick<Check, 'code' | 'message' | 'path'>): Described {
  const name = NAME.exec(message)?.[1] ?? '';
  const own = i18n.maybe(`form.diagnostic.${code}`, { placeholder: `{${name}}`, user_input: '{user_input}' });
  const text = own ?? problemText({ code, message, path } as Diagnostic);
  const { tool } = targetOf(path);
  const isNamed = tool === null || code === 'placeholder.unused';
  return {
    text: isNamed ? text : t('form.tool_n', { n: tool + 1, text }),
    detail: own === null || COMPLETE.has(code) || message === '' ? null : message,
  };
}

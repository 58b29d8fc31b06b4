import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { problemText } from '$lib/features/pipeline/problems-of-tools';
import type { Diagnostic } from '$lib/app/catalogues/assistant';
import { reasonText } from '$lib/kit/ui/field-problems';
import { english, type Wording } from '$lib/kit/ui/wording';
import type { Check } from './checklist';
import { targetOf } from './targets';

interface Described {
  readonly text: string;
  /** Exact problem, where there is more to say. */
  readonly detail: Wording | null;
}

/** Codes whose text in the reader's language says all that there is to say. */
const COMPLETE: ReadonlySet<string> = new Set([
  'orchestrator.unknown',
  'tool.config_incomplete',
  'tool.inaccessible',
  'tool.no_input',
  'tool_using_assistant',
  'collection.unlisted',
  'setting.ignored',
  'dependency.unknown',
  'connector.unknown',
  'placeholder.duplicate',
  'placeholder.unused',
  'template.no_user_input',
  'dependency.cycle',
  'connector.model_unavailable',
  'connector.not_configured',
  'rewrite.no_fast_model',
]);
const NAME = /\{([^{}\s]+)\}/;

type Found = Pick<Check, 'code' | 'message' | 'path' | 'values'>;

/** A diagnostic in the reader's language; those of a tool say which. */
export function describe({ code, message, path, values }: Found): Described {
  const name = NAME.exec(message)?.[1] ?? '';
  const own = i18n.maybe(`form.diagnostic.${code}`, { placeholder: `{${name}}`, user_input: '{user_input}' });
  const text = own ?? problemText({ code, message, path, values } as Diagnostic);
  const { tool } = targetOf(path);
  const isNamed = tool === null || code === 'placeholder.unused';
  return {
    text: isNamed ? text : t('form.tool_n', { n: tool + 1, text }),
    detail:
      own === null || message === ''
        ? null
        : (reasonText(values) ?? (COMPLETE.has(code) || i18n.locale !== 'en' ? null : english(message))),
  };
}

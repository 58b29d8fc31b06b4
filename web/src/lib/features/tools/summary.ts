import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import {
  REFERENCES,
  type Config,
  type JsonSchema,
  type Reference,
  referencesOf,
} from '$lib/features/schema-form/schema-form';
import type { Names } from './names.svelte';

const quoted = (text: string): string => t('tools.summary.quoted', { text });

const nameOf = (names: Names, kind: Reference, reference: unknown): string =>
  quoted(names.of(kind, reference) ?? String(reference));

/** Names of the settings where the schema is not at hand. */
const SETTINGS: Readonly<Record<Reference, string>> = {
  knowledge_base: 'collections',
  rubric: 'rubric_id',
  file: 'file_path',
  assistant: 'assistant_id',
};
const CHOSEN = {
  knowledge_base: 'tools.summary.knowledge_base',
  rubric: 'tools.summary.rubric',
  file: 'tools.summary.file',
  assistant: 'tools.summary.assistant',
} as const;
const NONE = {
  knowledge_base: 'tools.summary.no_knowledge_base',
  rubric: 'tools.summary.no_rubric',
  file: 'tools.summary.no_file',
  assistant: 'tools.summary.no_assistant',
} as const;

interface Referring {
  readonly kind: Reference;
  readonly setting: string;
}

/** Settings that refer to something: those of the schema, or those that the config of an unknown tool holds. */
function referring(plugin: string, config: Config): readonly Referring[] {
  const schema = catalogues.knownTool(plugin)?.config_schema as JsonSchema | undefined;
  if (schema !== undefined) return referencesOf(schema);
  return REFERENCES.map((kind) => ({ kind, setting: SETTINGS[kind] })).filter(
    ({ setting }) => config[setting] !== undefined,
  );
}

const referencesOfSetting = ({ setting }: Referring, config: Config): readonly unknown[] =>
  [config[setting] ?? []].flat().filter((reference) => reference !== '');

/** Everything that the settings of a tool refer to. */
export const referencesIn = (
  plugin: string,
  config: Config,
): readonly { readonly kind: Reference; readonly reference: unknown }[] =>
  referring(plugin, config).flatMap((one) =>
    referencesOfSetting(one, config).map((reference) => ({ kind: one.kind, reference })),
  );

function chosen({ kind, setting }: Referring, config: Config, names: Names): string {
  const references = referencesOfSetting({ kind, setting }, config);
  if (references.length === 0) return t(NONE[kind]);
  return t(CHOSEN[kind], { names: references.map((reference) => nameOf(names, kind, reference)).join(', ') });
}

const checksOf = (value: unknown): string | null =>
  value === 'answer' || value === 'synthesis' ? t(`tools.summary.checks_${value}`) : null;

function details(config: Config): string[] {
  const parts: (string | null)[] = [
    typeof config.top_k === 'number' ? i18n.count('tools.summary.passages', config.top_k) : null,
    typeof config.threshold === 'number' && config.threshold > 0
      ? t('tools.summary.threshold', { n: i18n.number(config.threshold) })
      : null,
    config.format === 'json' ? 'JSON' : null,
    typeof config.max_chars === 'number' ? i18n.count('tools.summary.characters', config.max_chars) : null,
    checksOf(config.checks),
    typeof config.instructions === 'string' && config.instructions !== '' ? quoted(config.instructions) : null,
  ];
  return parts.filter((part): part is string => part !== null);
}

/** One line about a tool's settings: what it reads and how much of it. Empty when there is nothing to tell. */
export function summaryOf(plugin: string, config: Config, names: Names): string {
  const references = referring(plugin, config).map((reference) => chosen(reference, config, names));
  return [...references, ...details(config)].join(' · ');
}

import type { FunctionEntry, ToolInfo } from '$lib/app/catalogues/assistant';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import { type Names, toolName } from '$lib/features/tools';
import type { JsonSchema } from '$lib/features/schema-form/schema-form';
import { titleOf, valueText } from '$lib/features/schema-form/schema-texts';
import { changedSettings, settingsOf, targetOf, typeOf } from './function-entries';

const PREFIXES = ['tools.field'];

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** An entry's name for people: what its author called it, else what it stands for, else the function's. */
export function labelOf(entry: FunctionEntry, tools: readonly ToolInfo[], names: Names): string {
  const tool = tools.find(({ name }) => name === typeOf(entry));
  if (tool === undefined) return typeOf(entry);
  const settings = settingsOf(entry);
  const target = targetOf(tool);
  if (target === null) return text(settings['server']) ?? toolName(tool);
  const reference = settings[target.setting];
  return text(settings['name']) ?? names.of(target.kind, reference) ?? `${toolName(tool)} ${String(reference ?? '')}`;
}

function shown(tool: ToolInfo, name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? t('functions.yes') : t('functions.no');
  if (typeof value === 'number') return i18n.number(value);
  if (Array.isArray(value)) return value.join(', ');
  return valueText(PREFIXES, name, value);
}

/** The settings that are not as they would be anyway, in one line. */
export function summaryOfSettings(tool: ToolInfo, entry: FunctionEntry): string {
  const schemas = (tool.config_schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  return changedSettings(tool, settingsOf(entry))
    .map(([name, value]) => `${titleOf(PREFIXES, name, schemas[name] ?? {})}: ${shown(tool, name, value)}`)
    .join(' · ');
}

/** Category of a function: `Moodle`, `Search`. */
export const categoryText = (category: string): string => i18n.maybe(`functions.category_${category}`) ?? category;

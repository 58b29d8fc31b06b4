import type { Diagnostic, ToolInfo } from '$lib/app/catalogues/assistant';
import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { JsonSchema } from '$lib/features/schema-form/schema-form';
import { titleOf } from '$lib/features/schema-form/schema-texts';
import { reasonText } from '$lib/kit/ui/field-problems';
import { strategies, strategyName } from '$lib/features/strategies/known-strategies.svelte';
import { RULES } from '$lib/features/strategies/strategy-rules';

/** The template's own messages report these. */
const SHOWN_AT_TEMPLATE = new Set<string>(['placeholder.unused', 'placeholder.undefined', 'template.no_user_input']);

const PATH = /^metadata\.(tools|functions)\[(\d+)\](?:\.?(.*))?$/;

/** The list entry that a path names; `field` is the path below the entry, empty for the entry itself. */
export function placeOf(path: string): { list: 'tools' | 'functions'; index: number; field: string } | null {
  const match = PATH.exec(path);
  if (match === null) return null;
  return { list: match[1] as 'tools' | 'functions', index: Number(match[2]), field: match[3] ?? '' };
}

/** The diagnostics of one list entry. */
export const problemsAt = (
  diagnostics: readonly Diagnostic[],
  list: 'tools' | 'functions',
  index: number,
): readonly Diagnostic[] =>
  diagnostics.filter((diagnostic) => {
    const place = placeOf(diagnostic.path);
    return place?.list === list && place.index === index && !SHOWN_AT_TEMPLATE.has(diagnostic.code);
  });

/** A diagnostic in the reader's language, with its exact reason. Readers of English get the service's words where there is no text. */
export function problemText({ code, message, path, values }: Diagnostic, tool?: ToolInfo): string {
  const setting = settingIn(path);
  const special = specialText(code, setting);
  if (special !== null) return special;
  const exact = reasonText(values);
  const reason = exact ?? (i18n.locale === 'en' ? message : t('form.diagnostic.refused'));
  const field = titleIn(tool, setting);
  const text = i18n.maybe(`pipeline.problem_${code.replace('.', '_')}`, { message: reason, field });
  if (text === null) return reason;
  return exact === null || text.includes(exact) ? text : `${text} ${exact}`;
}

/** The first part of a path below the entry; empty for the entry itself. */
function settingIn(path: string): string {
  const field = placeOf(path)?.field ?? '';
  return /^(?:config\.)?(\w*)/.exec(field)?.[1] ?? '';
}

/** Text of some codes for some settings; null for the others. */
function specialText(code: string, setting: string): string | null {
  if (code === 'setting.ignored') return ignoredText(setting);
  return code === 'tool.config_incomplete' ? i18n.maybe(`pipeline.choose.${setting}`) : null;
}

/** A setting that only other strategies heed, with their names; null for other settings. */
function ignoredText(setting: string): string | null {
  const rule = RULES.find((name) => name === setting);
  const readers = rule === undefined ? [] : strategies.reading(rule);
  if (readers.length === 0) return null;
  const names = readers.map((name) => `“${strategyName(name)}”`);
  return t('pipeline.ignored_by_strategy', { field: titleIn(undefined, setting), strategies: names.join(', ') });
}

function titleIn(tool: ToolInfo | undefined, setting: string): string {
  const schemas = (tool?.config_schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  if (tool === undefined || !Object.hasOwn(schemas, setting)) return i18n.maybe(`tools.rule.${setting}`) ?? setting;
  return titleOf(textsOf(tool), setting, schemas[setting] ?? {});
}

const textsOf = ({ name, kind }: ToolInfo): readonly string[] => [
  kind === 'function' ? `tools.function.${name}` : `tools.${name}`,
  'tools.field',
];

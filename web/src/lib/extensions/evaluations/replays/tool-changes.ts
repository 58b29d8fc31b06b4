import { t } from '$lib/kit/i18n/i18n.svelte';
import { same } from '$lib/kit/ui/differences';
import type { PipelineTool } from '$lib/app/catalogues/assistant';
import { type Config, type JsonSchema, withSetting } from '$lib/features/schema-form/schema-form';
import { titleOf, valueText } from '$lib/features/schema-form/schema-texts';

/** Settings of one tool that replace those of the repeated definition, and names of settings that are left out. */
interface ToolChange {
  readonly config?: Config;
  readonly unset?: readonly string[];
}

/** Changes by placeholder. */
export type ToolChanges = Readonly<Record<string, ToolChange>>;

/** A tool whose settings a repetition can change. */
export type ChangeableTool = PipelineTool & { readonly placeholder: string };

const PREFIXES = ['tools.field'];

export const changeableTools = (tools: readonly unknown[] = []): readonly ChangeableTool[] =>
  tools.filter((tool): tool is ChangeableTool => {
    const { placeholder } = tool as Partial<PipelineTool>;
    return typeof placeholder === 'string' && placeholder !== '';
  });

/** The settings that differ; undefined without a difference. */
export function changesFor({ placeholder, config }: ChangeableTool, next: Config): ToolChanges | undefined {
  const changed = Object.entries(next).filter(([name, value]) => !same(value, config[name]));
  const unset = Object.keys(config).filter((name) => !(name in next));
  if (changed.length === 0 && unset.length === 0) return undefined;
  return {
    [placeholder]: {
      ...(changed.length === 0 ? {} : { config: Object.fromEntries(changed) }),
      ...(unset.length === 0 ? {} : { unset }),
    },
  };
}

/** Stored settings without which the tool works differently, by name with their title. */
export function removableSettings(
  { config }: ChangeableTool,
  schema: JsonSchema,
): readonly (readonly [string, string])[] {
  const { properties = {}, required = [] } = schema;
  return Object.keys(config)
    .filter((name) => !required.includes(name) && !same(config[name], properties[name]?.default))
    .map((name) => [name, titleOf(PREFIXES, name, properties[name] ?? {})]);
}

/** The config with one setting as it is stored, or without it. */
export const withStored = ({ config: stored }: ChangeableTool, next: Config, name: string, isKept: boolean): Config =>
  withSetting(next, name, isKept ? stored[name] : undefined);

/** The changes of a comparison for people, such as `{1_context} Passages: 5`. */
export function toolChangesText(tools: unknown): string {
  return Object.entries((tools ?? {}) as Readonly<Record<string, ToolChange & { readonly enabled?: boolean }>>)
    .flatMap(([placeholder, { enabled, config = {}, unset = [] }]) => [
      ...(enabled === undefined ? [] : [`{${placeholder}} ${t(enabled ? 'replays.tool_on' : 'replays.tool_off')}`]),
      ...Object.entries(config).map(([name, value]) => `{${placeholder}} ${settingText(name, value)}`),
      ...unset.map((name) => `{${placeholder}} ${t('replays.tool_unset', { name: titleOf(PREFIXES, name, {}) })}`),
    ])
    .join(' · ');
}

function settingText(name: string, value: unknown): string {
  const title = titleOf(PREFIXES, name, {});
  return typeof value === 'object' ? title : `${title}: ${valueText(PREFIXES, name, value)}`;
}

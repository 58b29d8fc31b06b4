import { t } from '$lib/i18n/i18n.svelte';
import type { PipelineTool } from '$lib/definition/assistant';
import type { Config } from '$lib/schema-form/schema-form';
import { titleOf, valueText } from '$lib/schema-form/schema-texts';

/** Settings that replace those of the repeated definition, by placeholder. */
export type ToolChanges = Readonly<Record<string, { readonly config: Config }>>;

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
  const changed = Object.entries(next).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(config[name]),
  );
  return changed.length === 0 ? undefined : { [placeholder]: { config: Object.fromEntries(changed) } };
}

/** The changes of a comparison for people, such as `{1_context} Passages: 5`. */
export function toolChangesText(tools: unknown): string {
  return Object.entries((tools ?? {}) as Readonly<Record<string, { enabled?: boolean; config?: Config }>>)
    .flatMap(([placeholder, { enabled, config = {} }]) => [
      ...(enabled === undefined ? [] : [`{${placeholder}} ${t(enabled ? 'replays.tool_on' : 'replays.tool_off')}`]),
      ...Object.entries(config).map(([name, value]) => `{${placeholder}} ${settingText(name, value)}`),
    ])
    .join(' · ');
}

function settingText(name: string, value: unknown): string {
  const title = titleOf(PREFIXES, name, {});
  return typeof value === 'object' ? title : `${title}: ${valueText(PREFIXES, name, value)}`;
}

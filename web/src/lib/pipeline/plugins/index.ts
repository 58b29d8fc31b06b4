import type { Component } from 'svelte';
import type { FieldProblem } from '$lib/api/problem';
import type { ToolInfo } from '$lib/assistants/definition';
import type { Config } from '../schema-form';

export { useNames, type Names } from './names.svelte';
export { summaryOf } from './summary';
export { toolName, toolAbout } from './texts';

/**
 * What the settings of one tool are edited with. `ToolPanel.svelte` hosts one: it loads it, and has the service check the
 * config while it is edited.
 */
export interface PanelProps {
  /** Settings as stored. Keys that the panel does not know stay in what it hands to `onchange`. */
  config: Config;
  tool: ToolInfo;
  /** Without braces: `2_context`; null for tools that fill none. */
  placeholder: string | null;
  /** Paths are relative to the config: `top_k`, `collections[0]`. */
  problems: readonly FieldProblem[];
  onchange: (config: Config) => void;
}

type Panel = Component<PanelProps>;

const PANELS: Readonly<Record<string, () => Promise<{ default: Panel }>>> = {
  simple_rag: () => import('./SimpleRagPanel.svelte'),
  rubric_rag: () => import('./RubricRagPanel.svelte'),
  single_file_rag: () => import('./SingleFileRagPanel.svelte'),
  no_rag: () => import('./NoRagPanel.svelte'),
};

/** The panel of a plugin; a form made from its JSON Schema where it has none of its own. */
export async function panelOf(plugin: string): Promise<Panel> {
  const load = PANELS[plugin] ?? (() => import('./SchemaPanel.svelte'));
  return (await load()).default;
}

/** The problems below `prefix` (`metadata.tools[1].config`), with paths relative to it. */
export const problemsBelow = (problems: readonly FieldProblem[], prefix: string): readonly FieldProblem[] =>
  problems
    .filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`))
    .map((problem) => ({ ...problem, path: problem.path.slice(prefix.length).replace(/^\./, '') }));

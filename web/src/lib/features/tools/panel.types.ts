import type { FieldProblem } from '$lib/kit/api/problem';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import type { Config } from '$lib/features/schema-form/schema-form';

/** Props of the panel that edits one tool's settings. `ToolPanel.svelte` loads it and validates while the person types. */
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

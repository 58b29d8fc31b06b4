import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { PipelineTool, ToolInfo } from '$lib/app/catalogues/assistant';
import { entryName } from '$lib/features/tools/entry-name';
import { knownNames } from '$lib/features/tools/names.svelte';
import { toolName } from '$lib/features/tools/texts';

/** A tool as events and records of runs name it. */
export interface RanTool {
  readonly plugin: string;
  readonly placeholder?: string | null;
  /** Label at the time of the run. */
  readonly label?: string | undefined;
}

/** Names of tools and functions in the reader's language; the plugin's own until the catalogue is there. */
export class ToolNames {
  private tools = $state.raw<Readonly<Record<string, ToolInfo>>>({});

  /** `entries`: the tools of the assistant as it is now, which tell what each one reads. */
  constructor(private readonly entries: () => readonly unknown[] | undefined = () => undefined) {
    catalogues.tools().then(
      (tools) => (this.tools = Object.fromEntries(tools.map((tool) => [tool.name, tool]))),
      () => undefined,
    );
  }

  /** Name of a kind of tools. */
  of(plugin: string): string {
    const tool = this.tools[plugin];
    return tool === undefined ? plugin : toolName(tool);
  }

  /** Name of one tool of a run: its label then, else what it reads now, else its kind. */
  ofTool({ plugin, placeholder, label }: RanTool): string {
    if (label !== undefined) return label;
    const entry = this.entryOf(plugin, placeholder ?? null);
    return entry === undefined ? this.of(plugin) : entryName({ ...entry, label: undefined }, knownNames);
  }

  /** The assistant may have been edited since: a tool of another kind or place is another one. */
  private entryOf(plugin: string, placeholder: string | null): PipelineTool | undefined {
    if (placeholder === null) return undefined;
    return (this.entries() ?? []).find((entry): entry is PipelineTool => {
      const { plugin: kind, placeholder: place } = entry as PipelineTool;
      return kind === plugin && place === placeholder;
    });
  }
}

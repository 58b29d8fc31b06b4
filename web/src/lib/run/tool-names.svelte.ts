import type { ToolInfo } from '$lib/definition/assistant';
import { catalogues } from '$lib/catalogues/catalogues.svelte';
import { toolName } from '$lib/tools/texts';

/** Names of tools and functions in the reader's language; the plugin's own until the catalogue is there. */
export class ToolNames {
  private tools = $state.raw<Readonly<Record<string, ToolInfo>>>({});

  constructor() {
    catalogues.tools().then(
      (tools) => (this.tools = Object.fromEntries(tools.map((tool) => [tool.name, tool]))),
      () => undefined,
    );
  }

  of(plugin: string): string {
    const tool = this.tools[plugin];
    return tool === undefined ? plugin : toolName(tool);
  }
}

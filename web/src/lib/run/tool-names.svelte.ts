import { catalogues } from '$lib/catalogues.svelte';

/** Names for people of tools and functions; the plugin's own name until the catalogue is there, and where it has none. */
export class ToolNames {
  private names = $state.raw<Readonly<Record<string, string>>>({});

  constructor() {
    catalogues.tools().then(
      (tools) => (this.names = Object.fromEntries(tools.map(({ name, display_name }) => [name, display_name]))),
      () => undefined,
    );
  }

  of(plugin: string): string {
    return this.names[plugin] ?? plugin;
  }
}

import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import type { ToolInfo } from '$lib/app/catalogues/assistant';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import { humanised } from '$lib/kit/ui/wording';

type Named = Pick<ToolInfo, 'name'> & Partial<Pick<ToolInfo, 'display_name' | 'description' | 'kind' | 'texts'>>;

const infoOf = (tool: Named): Named =>
  tool.texts === undefined ? (catalogues.knownTool(tool.name, tool.kind) ?? tool) : tool;

/** A tool's name in the reader's language, else in the service's own. */
export function toolName(tool: Named): string {
  const { texts, display_name, name } = infoOf(tool);
  return texts?.[i18n.locale]?.name ?? display_name ?? humanised(name);
}

/** One sentence on the effect of a tool. */
export function toolAbout(tool: Named): string {
  const { texts, description } = infoOf(tool);
  return texts?.[i18n.locale]?.about ?? description ?? '';
}

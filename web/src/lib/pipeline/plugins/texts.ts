import type { ToolInfo } from '$lib/assistants/definition';
import { i18n } from '$lib/i18n/i18n.svelte';
import { humanised } from '../schema-form';

type Named = Pick<ToolInfo, 'name'> & Partial<Pick<ToolInfo, 'display_name' | 'description' | 'kind'>>;

const keyOf = ({ name, kind }: Named): string => (kind === 'function' ? `tools.function.${name}` : `tools.${name}`);

/** A tool's name in the reader's language; the service's own where the texts have none. */
export const toolName = (tool: Named): string =>
  i18n.maybe(`${keyOf(tool)}.name`) ?? tool.display_name ?? humanised(tool.name);

/** What a tool does, in one sentence. */
export const toolAbout = (tool: Named): string => i18n.maybe(`${keyOf(tool)}.about`) ?? tool.description ?? '';

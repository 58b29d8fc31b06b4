import { constructPlugins, type Doubles } from '../infrastructure/plugins';
import { TOOL_PLUGINS } from './catalog';
import type { Tool } from './contract';

/** Every tool of the catalogue over the caller's own services. */
export const toolsOver = (doubles: Doubles): readonly Tool[] => constructPlugins<Tool>(TOOL_PLUGINS, doubles);

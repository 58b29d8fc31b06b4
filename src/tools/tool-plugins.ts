import { constructPlugins, type Doubles } from '../infrastructure/plugins';
import { TOOL_PLUGINS } from './catalog';
import type { FunctionPlugin, Tool } from './contract';
import { FUNCTION_PLUGINS } from './functions';

/** Every tool of the catalogue over the caller's own services. */
export const toolsOver = (doubles: Doubles): readonly Tool[] => constructPlugins<Tool>(TOOL_PLUGINS, doubles);

/** Every function of the catalogue over the caller's own services. */
export const functionsOver = (doubles: Doubles): readonly FunctionPlugin[] =>
  constructPlugins<FunctionPlugin>(FUNCTION_PLUGINS, doubles);

import type { PluginParts } from '@bellwether/plugin';
import { CONFIG, type Config } from './infrastructure/config';
import { type LoadedPlugin, loadPlugins, type OwnNames } from './infrastructure/plugins';
import { CONNECTOR_NAMES } from './connectors';
import { STRATEGY_NAMES } from './orchestrators';
import { processorsOver } from './processors';
import { functionsOver, toolsOver } from './tools';

interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
}

const namesOf = (definitions: readonly Named[]): ReadonlySet<string> =>
  new Set(definitions.flatMap(({ name, aliases = [] }) => [name, ...aliases]));

/** Definitions need no services beside the configuration. */
function ownNames(config: Config): OwnNames {
  const nothing = new Map<unknown, object>([[CONFIG, config]]);
  const processors = processorsOver(nothing);
  return {
    tools: namesOf(toolsOver(nothing).map(({ definition }) => definition)),
    functions: namesOf(functionsOver(nothing).map(({ definition }) => definition)),
    strategies: new Set(STRATEGY_NAMES),
    connectors: new Set(CONNECTOR_NAMES),
    promptProcessors: namesOf(processors.promptDefinitions()),
    ragProcessors: namesOf(processors.ragDefinitions()),
  };
}

/**
 * The plugins of `BELLWETHER_PLUGINS`, and those that an embedding program hands over.
 * @throws PluginError
 */
export const pluginsOf = (config: Config, given: readonly PluginParts[] = []): Promise<readonly LoadedPlugin[]> =>
  config.plugins.length === 0 && given.length === 0
    ? Promise.resolve([])
    : loadPlugins(config.plugins, { own: ownNames(config), given });

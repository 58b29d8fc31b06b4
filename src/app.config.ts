import type { PluginParts } from '@bellwether/plugin';
import { vendorsWith } from './connectors/vendors';
import { CONFIG, type Config, type Environment, loadConfig, pluginsIn } from './infrastructure/config';
import { loadPlugins, type OwnNames } from './infrastructure/plugins';

interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
}

const namesOf = (entries: readonly { readonly definition: Named }[]): ReadonlySet<string> =>
  new Set(entries.flatMap(({ definition: { name, aliases = [] } }) => [name, ...aliases]));

/** Loaded on demand: the catalogues take most of the time of a command. Definitions need no services beside the configuration. */
async function ownNames(): Promise<OwnNames> {
  const { CONNECTOR_NAMES } = await import('./connectors/index.js');
  const { STRATEGY_NAMES } = await import('./orchestrators/index.js');
  const { processorsOver } = await import('./processors/index.js');
  const { functionsOver, toolsOver } = await import('./tools/index.js');
  const defaults = new Map<unknown, object>([[CONFIG, loadConfig({}, null)]]);
  const processors = processorsOver(defaults);
  const named = (definitions: readonly Named[]) => namesOf(definitions.map((definition) => ({ definition })));
  return {
    tools: namesOf(toolsOver(defaults)),
    functions: namesOf(functionsOver(defaults)),
    strategies: new Set(STRATEGY_NAMES),
    connectors: new Set(CONNECTOR_NAMES),
    promptProcessors: named(processors.promptDefinitions()),
    ragProcessors: named(processors.ragDefinitions()),
  };
}

/**
 * The configuration with the plugins of `BELLWETHER_PLUGINS` and those that an embedding program hands over. Plugins
 * are loaded first, and once: their connectors declare variables.
 * @throws PluginError and ConfigError, each with every problem of its kind
 */
export async function configOf(env: Environment, given: readonly PluginParts[] = []): Promise<Config> {
  const sources = pluginsIn(env);
  const isPlain = sources.length === 0 && given.length === 0;
  const plugins = isPlain ? [] : await loadPlugins(sources, { own: await ownNames(), given });
  return loadConfig(env, vendorsWith(plugins), plugins);
}

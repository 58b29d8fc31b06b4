export { constructPlugins, type Doubles } from './construct-plugins';
export { type LoadedPlugin, loadPlugins, type OwnNames, PluginError } from './load-plugins';
export { OPTIONAL_PLUGINS, PLUGINS, type Plugins, PluginsModule, withPlugins } from './plugins.module';

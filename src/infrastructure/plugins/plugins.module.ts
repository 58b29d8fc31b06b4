import { type DynamicModule, Module } from '@nestjs/common';
import type { Plugin, PluginKind } from '@bellwether/plugin';
import type { LoadedPlugin } from './load-plugins';

/** Injects `readonly LoadedPlugin[]`. */
export const PLUGINS = Symbol('PLUGINS');

/** Absent where no plugin can be. */
export type Plugins = readonly LoadedPlugin[] | undefined;

/** A dependency of providers that also work where no plugin can be, as in tests of one module. */
export const OPTIONAL_PLUGINS = { token: PLUGINS, optional: true };

@Module({})
export class PluginsModule {
  static of(plugins: readonly LoadedPlugin[]): DynamicModule {
    return {
      module: PluginsModule,
      global: true,
      providers: [{ provide: PLUGINS, useValue: plugins }],
      exports: [PLUGINS],
    };
  }
}

/** The service's own entries of a kind and those of plugins: one of the same name takes the place of ours. */
export function withPlugins<K extends PluginKind>(
  kind: K,
  own: readonly Plugin[K][number][],
  plugins: readonly Plugin[] | undefined,
): readonly Plugin[K][number][] {
  const entries = new Map(own.map((entry) => [entry.definition.name, entry]));
  for (const plugin of plugins ?? []) for (const entry of plugin[kind]) entries.set(entry.definition.name, entry);
  return [...entries.values()];
}

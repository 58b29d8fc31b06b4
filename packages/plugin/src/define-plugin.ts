import type { ConnectorEntry } from './connector.types';
import type { FunctionPlugin } from './function.types';
import type { PromptProcessor, RagProcessor } from './processor.types';
import type { OrchestratorStrategy } from './strategy.types';
import type { Tool } from './tool.types';

/** One entry of a plugin: an object, or a class whose constructor needs nothing. */
export type Entry<T> = T | (new () => T);

/** Everything that one package adds to the service. */
export interface PluginParts {
  readonly tools?: readonly Entry<Tool<never>>[];
  readonly strategies?: readonly Entry<OrchestratorStrategy>[];
  readonly connectors?: readonly Entry<ConnectorEntry>[];
  readonly promptProcessors?: readonly Entry<PromptProcessor>[];
  readonly ragProcessors?: readonly Entry<RagProcessor>[];
  readonly functions?: readonly Entry<FunctionPlugin<never>>[];
  /** Names that stand for the plugin's own entry of the same kind from now on, instead of the service's. */
  readonly replaces?: readonly string[];
}

/** The kinds of entries, as `definePlugin` names them. */
export const PLUGIN_KINDS = [
  'tools',
  'strategies',
  'connectors',
  'promptProcessors',
  'ragProcessors',
  'functions',
] as const;
export type PluginKind = (typeof PLUGIN_KINDS)[number];

/** A plugin whose entries are objects. */
export interface Plugin {
  readonly tools: readonly Tool[];
  readonly strategies: readonly OrchestratorStrategy[];
  readonly connectors: readonly ConnectorEntry[];
  readonly promptProcessors: readonly PromptProcessor[];
  readonly ragProcessors: readonly RagProcessor[];
  readonly functions: readonly FunctionPlugin[];
  readonly replaces: readonly string[];
}

/** Types what a package exports by default. The service makes the objects and checks them at its start. */
export const definePlugin = (parts: PluginParts): PluginParts => parts;

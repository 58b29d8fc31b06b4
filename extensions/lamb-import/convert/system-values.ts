import { isJsonObject, type JsonObject } from '../../../src/kernel';

/** The servers of an organization's own settings. In LAMB the server's environment supplied missing ones. */
export interface OwnServers {
  /** An enabled provider has a key or an address. */
  readonly hasProvider: boolean;
  /** Enabled providers without key and address. */
  readonly keyless: readonly string[];
  readonly hasKnowledgeBase: boolean;
}

const entriesOf = (value: unknown): [string, JsonObject][] =>
  isJsonObject(value)
    ? Object.entries(value).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : []))
    : [];

const isEnabled = (provider: JsonObject): boolean => provider['enabled'] !== false;
const isEquipped = (provider: JsonObject): boolean =>
  provider['api_key'] !== undefined || provider['base_url'] !== undefined;

export function ownServers(settings: JsonObject): OwnServers {
  const enabled = entriesOf(settings['providers']).filter(([, provider]) => isEnabled(provider));
  const base = settings['knowledge_base'];
  return {
    hasProvider: enabled.some(([, provider]) => isEquipped(provider)),
    keyless: enabled.filter(([, provider]) => !isEquipped(provider)).map(([name]) => name),
    hasKnowledgeBase: isJsonObject(base) && base['server_url'] !== undefined,
  };
}

/**
 * Fills missing settings with those of the system organization: keys and addresses of providers, all providers where there
 * is none, and the knowledge-base server. The organization's own values are kept, and disabled providers stay disabled.
 */
export function withSystemValues(
  own: JsonObject,
  system: JsonObject,
): { readonly settings: JsonObject; readonly inherited: readonly string[] } {
  const { hasProvider, hasKnowledgeBase } = ownServers(own);
  const providers = new Map(entriesOf(own['providers']));
  const inherited: string[] = [];
  for (const [name, provider] of entriesOf(system['providers'])) {
    if (!isEnabled(provider) || !isEquipped(provider)) continue;
    const present = providers.get(name);
    const isComplete = present === undefined ? hasProvider : !isEnabled(present) || isEquipped(present);
    if (isComplete) continue;
    providers.set(name, { ...provider, ...present });
    inherited.push(`providers.${name}`);
  }
  let settings = inherited.length === 0 ? own : { ...own, providers: Object.fromEntries(providers) };
  if (inherited.length > 0) settings = { ...settings, default_model: own['default_model'] ?? system['default_model'] };
  if (!hasKnowledgeBase && ownServers(system).hasKnowledgeBase) {
    settings = { ...settings, knowledge_base: system['knowledge_base'] };
    inherited.push('knowledge_base');
  }
  return { settings, inherited };
}

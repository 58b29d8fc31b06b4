// The service's invoker over tools of a bench's own, with everything on that needs no database.
import { built } from './built.mjs';

const SETTINGS = {
  ...{ defaultTimeoutMs: 30_000, maxRetries: 3, retryDelayMs: 1_000, retryBackoff: 'exponential', parallelLimit: 5 },
  ...{ cacheEnabled: true, cacheTtlMs: 300_000, cacheBytes: 64 * 2 ** 20 },
};

/** `tools`: plugins without a definition, by name. `settings` are those of the configuration's `tools`. */
export function openInvoker(tools, settings = {}) {
  const { CallScope } = built('src/tools/contract/invocation.types');
  const { ToolFailure } = built('packages/plugin/src/tool.errors');
  const { SEQUENTIAL_TEXTS } = built('src/tools/describe-failure');
  const { ToolCatalogue } = built('src/tools/tool-catalogue');
  const { ToolInvoker } = built('src/tools/tool-invoker');
  const { ToolStatistics } = built('src/tools/tool-statistics');
  const named = Object.entries(tools).map(([name, tool]) => ({ ...tool, definition: definitionOf(name) }));
  const statistics = new ToolStatistics({ read: async () => [], add: async () => {} }, { sweep: () => {} });
  const invoker = new ToolInvoker(new ToolCatalogue(named), { tools: { ...SETTINGS, ...settings } }, statistics);
  return {
    ToolFailure,
    statistics,
    async call(plugin, query, { owner = OWNER, caller = CALLER, events = [], ...entry } = {}) {
      const scope = new CallScope(new AbortController().signal);
      const invocation = {
        ...{ scope, owner, caller, assistantId: 1, connector: 'auto', runId: 'run', texts: SEQUENTIAL_TEXTS },
        ...{ emit: (event) => void events.push(event), prompt: () => '', results: () => new Map() },
      };
      const messages = [{ role: 'user', content: query }];
      const outcome = await invoker.invoke({ ...ENTRY, plugin, ...entry }, { query, messages }, invocation);
      scope.close();
      return outcome;
    },
  };
}

const OWNER = { organizationId: 'organization', userId: 'owner' };
const CALLER = { ...OWNER, kind: 'system', role: 'member', scopes: ['chat'], credentialId: null };
const ENTRY = {
  ...{ index: 0, placeholder: '1_context', enabled: true, config: {}, on_error: 'continue', timeout_ms: null },
  ...{ retries: null, cache: true, depends_on: [], on_dependency_failure: 'skip', when: null, fallback: null },
};

const definitionOf = (name) => ({
  ...{ name, aliases: [], display_name: name, description: name, placeholder: 'context', category: 'bench' },
  ...{ version: '1.0.0', kind: 'pipeline', icon: 'x', allow_multiple: true, parameters: {}, examples: [] },
  ...{ capabilities: [], limitations: [], cost: { unit: 'none', estimate: 0 }, config_schema: { type: 'object' } },
});

/** The same numbers in every run: mulberry32. */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

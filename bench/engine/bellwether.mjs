// The service's engine with everything on: strategies, invoker with retries, circuits, cache and statistics, events, template.
import { built } from '../lib/built.mjs';

const caller = { organizationId: 'o', userId: 'u', kind: 'system', role: 'member', scopes: [], credentialId: null };

export async function prepare() {
  const { Orchestrator } = built('src/orchestrators/orchestrator');
  const { compilePipeline } = built('src/orchestrators/compile-pipeline');
  const { StrategyCatalogue } = built('src/orchestrators/strategy-catalogue');
  const { SequentialStrategy } = built('src/orchestrators/catalog/sequential.strategy');
  const { ParallelStrategy } = built('src/orchestrators/catalog/parallel.strategy');
  const { DependencyStrategy } = built('src/orchestrators/catalog/dependency.strategy');
  const { ToolCatalogue } = built('src/tools/tool-catalogue');
  const { ToolInvoker } = built('src/tools/tool-invoker');
  const { ToolStatistics } = built('src/tools/tool-statistics');
  const { compileTemplate } = built('packages/kernel/src/templates/compile');

  const definition = (name) => ({
    ...{ name, aliases: [], display_name: name, description: name, placeholder: 'context', category: 'custom' },
    ...{ version: '1.0.0', kind: 'pipeline', icon: 'x', allow_multiple: true, parameters: {}, examples: [] },
    ...{ capabilities: [], limitations: [], cost: { unit: 'none', estimate: 0 } },
    config_schema: { type: 'object', properties: { ms: { type: 'number' } }, additionalProperties: false },
  });
  const output = { content: 'found', sources: [], confidence: null };
  const waits = {
    definition: definition('waits'),
    run: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, output)),
  };
  const instant = { definition: definition('instant'), run: () => Promise.resolve(output) };
  const catalogue = new ToolCatalogue([waits, instant]);
  const config = {
    tools: {
      ...{ defaultTimeoutMs: 30_000, maxRetries: 3, retryDelayMs: 1000, retryBackoff: 'exponential' },
      ...{ parallelLimit: 16, cacheEnabled: true, cacheTtlMs: 300_000, cacheBytes: 2 ** 24 },
    },
  };
  const kept = { forget: async () => undefined, read: async () => [], add: async () => undefined };
  const statistics = new ToolStatistics(new Proxy(kept, { get: (own, name) => own[name] ?? (async () => []) }), {
    sweep: () => undefined,
  });
  const strategies = new Map([
    ['sequential', new SequentialStrategy()],
    ['parallel', new ParallelStrategy()],
    ['dependency', new DependencyStrategy()],
  ]);
  const orchestrator = new Orchestrator(new ToolInvoker(catalogue, config, statistics), config);
  const catalogues = { tools: catalogue, strategies: new StrategyCatalogue(strategies) };

  return (graph, { instant: atOnce, strategy }) => {
    const tools = graph.map(({ ms, needs }, index) => ({
      ...{ index, plugin: atOnce ? 'instant' : 'waits', placeholder: `${index + 1}_context`, enabled: true },
      ...{ config: atOnce ? {} : { ms }, on_error: 'continue', timeout_ms: null, retries: null, cache: true },
      ...{ depends_on: needs.map((other) => `${other + 1}_context`), on_dependency_failure: 'skip' },
      ...{ when: null, fallback: null },
    }));
    const names = tools.map(({ placeholder }) => placeholder);
    const template = compileTemplate(`${names.map((name) => `{${name}}`).join('')}{user_input}`, {
      types: ['context'],
      names,
    });
    // The API makes the signals, and one job looks like the other: what is counted begins with the call of the engine.
    const signals = Array.from({ length: 128 }, () => new AbortController().signal);
    let runs = 0;
    const job = {
      ...{
        systemPrompt: '',
        vision: false,
        owner: caller,
        caller,
        assistantId: 1,
        assistantVersion: 1,
        metadata: {},
        connector: 'auto',
        runId: 'r',
        assistants: null,
      },
      pipeline: compilePipeline({ strategy, options: {}, tools, template }, catalogues),
      messages: [{ role: 'user', content: 'Why?' }],
    };
    return async () => {
      const events = [];
      const signal = signals[runs++ % signals.length];
      const { messages } = await orchestrator.orchestrate({ ...job, signal, emit: (event) => events.push(event) });
      return messages[0].content.split('found').length - 1;
    };
  };
}

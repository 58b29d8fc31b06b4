// The service's engine with everything on: strategies, invoker with retries, circuits, cache and statistics, events, template.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const caller = { organizationId: 'o', userId: 'u', kind: 'system', role: 'member', scopes: [], credentialId: null };

export async function prepare(dist) {
  const require = createRequire(import.meta.url);
  const load = (path) => require(join(dist, path));
  require('reflect-metadata');
  const { Orchestrator } = load('orchestrators/orchestrator.js');
  const { compilePipeline } = load('orchestrators/compile-pipeline.js');
  const { StrategyCatalogue } = load('orchestrators/strategy-catalogue.js');
  const { SequentialStrategy } = load('orchestrators/catalog/sequential/sequential.strategy.js');
  const { ParallelStrategy } = load('orchestrators/catalog/parallel/parallel.strategy.js');
  const { DependencyStrategy } = load('orchestrators/catalog/dependency/dependency.strategy.js');
  const { ToolCatalogue, ToolInvoker } = load('tools');
  const { ToolStatistics } = load('tools/statistics/tool-statistics.js');
  const { compileTemplate } = load('templates');

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
    // The door makes the signals, and one job looks like the other: what is counted begins with the call of the engine.
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

import { type Caller, type RunEvent } from '@bellwether/kernel';
import type { Config } from '../../infrastructure/config';
import { CallScope, type Invocation, type PipelineTool, type Tool, type ToolDefinition } from '../contract';
import { Call } from '../call';
import { ToolCatalogue } from '../tool-catalogue';
import { ToolInvoker } from '../tool-invoker';
import { SEQUENTIAL_TEXTS } from '../describe-failure';

const ORGANIZATION = '0195f2a0-0000-7000-8000-000000000001';

export const OWNER = { organizationId: ORGANIZATION, userId: '0195f2a0-0000-7000-8000-000000000002' };

export const CALLER: Caller = {
  organizationId: ORGANIZATION,
  userId: '0195f2a0-0000-7000-8000-000000000003',
  kind: 'api_key',
  credentialId: null,
  organizationSlug: 'default',
  role: 'member',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
};

export const TOOL_CONFIG = {
  tools: {
    defaultTimeoutMs: 1000,
    maxRetries: 3,
    retryDelayMs: 2,
    retryBackoff: 'exponential',
    parallelLimit: 5,
    cacheEnabled: true,
    cacheTtlMs: 300_000,
    cacheBytes: 10_000_000,
  },
} as Config;

/** A tool with everything a definition needs and a `run` of the test's own. */
export function fakeTool(run: Tool['run'], definition: Partial<ToolDefinition> = {}): Tool {
  return {
    run,
    definition: {
      name: 'fake',
      aliases: [],
      display_name: 'Fake',
      description: 'Does what the test says.',
      placeholder: 'context',
      category: 'test',
      version: '1.0.0',
      config_schema: { type: 'object' },
      kind: 'pipeline',
      icon: 'bug',
      allow_multiple: true,
      parameters: {},
      examples: [],
      capabilities: [],
      limitations: [],
      cost: { unit: 'none', estimate: 0 },
      ...definition,
    },
  };
}

export function entry(overrides: Partial<PipelineTool> = {}): PipelineTool {
  return {
    index: 0,
    plugin: 'fake',
    placeholder: '1_context',
    enabled: true,
    config: {},
    on_error: 'continue',
    timeout_ms: null,
    retries: null,
    cache: true,
    depends_on: [],
    on_dependency_failure: 'skip',
    when: null,
    fallback: null,
    ...overrides,
  };
}

/** A call as the policies get it. */
export const callOf = (
  tool: Tool,
  {
    target = null,
    startedAt = performance.now(),
    ...more
  }: Partial<Invocation> & { target?: string | null; startedAt?: number } = {},
): Call => {
  const prepared = { plugin: tool.definition.name, tool, config: {}, configKey: '{}' };
  const ref = { index: 0, plugin: prepared.plugin, placeholder: null };
  const about = { prepared, entry: entry(), input: { query: 'why?', messages: [] }, invocation: invocation(more), ref };
  const call = new Call({ ...about, startedAt }, TOOL_CONFIG.tools);
  call.target = target;
  return call;
};

/** An invocation that records its events. */
export function invocation(overrides: Partial<Invocation> = {}): Invocation & { readonly events: RunEvent[] } {
  const events: RunEvent[] = [];
  return {
    events,
    scope: new CallScope(new AbortController().signal),
    owner: OWNER,
    caller: CALLER,
    assistantId: 1,
    connector: 'auto',
    runId: '0195f2a0-0000-7000-8000-000000000004',
    texts: SEQUENTIAL_TEXTS,
    emit: (event) => void events.push(event),
    prompt: () => '',
    results: () => new Map(),
    ...overrides,
  };
}

export const invokerOf = (...tools: Tool[]): ToolInvoker => new ToolInvoker(new ToolCatalogue(tools), TOOL_CONFIG);

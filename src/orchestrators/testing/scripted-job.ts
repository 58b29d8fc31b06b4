import type { Caller, JsonObject, RunEvent } from '@bellwether/kernel';
import { compileTemplate } from '@bellwether/kernel/templates';
import type { Config } from '../../infrastructure/config';
import { type PipelineTool, type Tool, ToolCatalogue, ToolFailure, ToolInvoker } from '../../tools';
import { ConditionalStrategy } from '../catalog/conditional.strategy';
import { DependencyStrategy } from '../catalog/dependency.strategy';
import { ParallelStrategy } from '../catalog/parallel.strategy';
import { SequentialStrategy } from '../catalog/sequential.strategy';
import { compilePipeline } from '../compile-pipeline';
import type { OrchestratorStrategy } from '../contract';
import type { OrchestrationJob, OrchestrationResult } from '../orchestration.types';
import { Orchestrator } from '../orchestrator';
import type { SearchNotes } from '../join-outcomes';
import { StrategyCatalogue } from '../strategy-catalogue';

const OWNER = { organizationId: 'org', userId: 'owner' };
const CALLER: Caller = {
  ...OWNER,
  userId: 'student',
  kind: 'api_key',
  credentialId: null,
  organizationSlug: 'default',
  role: 'member',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
};

/** A tool that executes `run`. Entries select it with `plugin: name`. */
export function scriptedTool(name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool {
  return {
    run,
    definition: {
      name,
      aliases: [],
      display_name: name,
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
    },
    ...more,
  };
}

/** Answers its config's `content`, after its config's `ms`. */
export const echo = scriptedTool('echo', async ({ content, ms }) => {
  if (typeof ms === 'number') await new Promise((resolve) => setTimeout(resolve, ms));
  return { content: typeof content === 'string' ? content : '', sources: [], confidence: null };
});

export const broken = scriptedTool('broken', () => Promise.reject(new ToolFailure('tool.failed', 'out of order')));

/** Entries in document order: `{1_context}`, `{2_context}`, … unless they say otherwise. */
export const entries = (...given: Partial<PipelineTool>[]): PipelineTool[] =>
  given.map((each, index) => ({
    index,
    plugin: 'echo',
    placeholder: `${index + 1}_context`,
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
    ...each,
  }));

interface Definition {
  readonly strategy: string;
  readonly options: JsonObject;
  readonly tools: readonly PipelineTool[];
  readonly template: string;
}

export type JobWish = Partial<Omit<OrchestrationJob, 'pipeline'> & Definition>;

export type ScriptedJob = Omit<OrchestrationJob, 'pipeline'> &
  Definition & { readonly events: RunEvent[]; readonly told: () => string[] };

/** A job that records its events; `told` are their texts. */
export function jobOf(wish: JobWish): ScriptedJob {
  const events: RunEvent[] = [];
  return {
    events,
    told: () => events.flatMap((event) => ('message' in event ? [event.message] : [])),
    strategy: 'sequential',
    options: {},
    tools: [],
    template: '',
    systemPrompt: '',
    messages: [{ role: 'user', content: 'Q' }],
    vision: false,
    owner: OWNER,
    caller: CALLER,
    assistantId: 1,
    assistantVersion: 1,
    metadata: {},
    connector: 'auto',
    runId: 'run',
    assistants: null,
    signal: new AbortController().signal,
    emit: (event) => void events.push(event),
    ...wish,
  };
}

export const STRATEGIES: readonly (readonly [string, OrchestratorStrategy])[] = [
  ['sequential', new SequentialStrategy()],
  ['parallel', new ParallelStrategy()],
  ['dependency', new DependencyStrategy()],
  ['conditional', new ConditionalStrategy()],
];

export function orchestratorOf(
  tools: readonly Tool[] = [echo, broken],
  {
    limit = 5,
    strategies = STRATEGIES,
    facts = null,
  }: { limit?: number; strategies?: typeof STRATEGIES; facts?: SearchNotes | null } = {},
): { orchestrate(job: ScriptedJob): Promise<OrchestrationResult> } {
  const config = { tools: { defaultTimeoutMs: 2000, parallelLimit: limit } } as Config;
  const catalogue = new ToolCatalogue(tools);
  const invoker = new ToolInvoker(catalogue, config);
  const catalogues = { tools: catalogue, strategies: new StrategyCatalogue(new Map(strategies)) };
  const orchestrator = new Orchestrator(invoker, config, facts);
  return {
    orchestrate: async ({ strategy, options, tools: entered, template, ...job }) => {
      const names = entered.flatMap(({ placeholder }) => placeholder ?? []);
      const compiled = compileTemplate(template, { types: ['context', 'rubric', 'file'], names });
      const source = { strategy, options, tools: entered, template: compiled };
      return orchestrator.orchestrate({ ...job, pipeline: compilePipeline(source, catalogues) });
    },
  };
}

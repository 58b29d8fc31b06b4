import { onFailure } from '@bellwether/kernel';
import { compileTemplate } from '@bellwether/kernel/templates';
import type { RunJob } from '../assistants';
import {
  type CompiledPipeline,
  type OrchestrationJob,
  type OrchestrationResult,
  type Orchestrator,
  ToolsFailed,
} from '../orchestrators';
import { Unprepared } from '../runs';
import type { PipelineTool } from '../tools';
import { MultiToolPipeline } from './multi-tool.pipeline';

const entry = (index: number, more: Partial<PipelineTool> = {}): PipelineTool => ({
  index,
  plugin: 'simple_rag',
  placeholder: `${index + 1}_context`,
  enabled: true,
  config: { collections: ['1'] },
  on_error: 'continue',
  timeout_ms: null,
  retries: null,
  cache: true,
  depends_on: [],
  on_dependency_failure: 'skip',
  when: null,
  fallback: null,
  ...more,
});

const pipeline = [entry(0), entry(1, { enabled: false }), entry(2), entry(3)];
const compiledOf = (template: string) => ({
  template: compileTemplate(template, { types: ['context'], names: [] }),
  pipeline: {} as CompiledPipeline,
});
const compiled = compiledOf('{1_context}');

const outcomes: OrchestrationResult['outcomes'] = [
  {
    index: 0,
    plugin: 'simple_rag',
    placeholder: '1_context',
    status: 'completed',
    content: 'found',
    chars: 5,
    sources: [{ type: 'file', path: 'a.md', chars: 1, truncated: false, n: 1 }],
    citations: [],
    confidence: null,
    cached: false,
    retries: 0,
    warnings: [],
    truncated: false,
    duration_ms: 3,
  },
  {
    index: 2,
    plugin: 'simple_rag',
    placeholder: '3_context',
    status: 'failed',
    code: 'tool.timeout',
    message: 'no answer',
    duration_ms: 9,
    retries: 0,
  },
  { index: 3, plugin: 'simple_rag', placeholder: '4_context', status: 'skipped', reason: 'why', duration_ms: 0 },
];

const result: OrchestrationResult = {
  strategy: 'parallel',
  outcomes,
  inPrompt: outcomes,
  messages: [
    { role: 'system', content: 'S' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'P' },
        { type: 'image_url', image_url: { url: 'data:SECRET' } },
      ],
    },
  ],
  sources: [{ type: 'file', path: 'a.md', chars: 1, truncated: false, n: 1 }],
  warnings: [{ code: 'orchestrator.unknown', message: 'fell back' }],
  usage: null,
  afterAnswer: null,
};

const job = {
  assistant: {
    id: 7,
    name: 'Desk',
    owner: { organizationId: 'org', userId: 'owner' },
    compiled,
    document: { orchestrator: 'gone', pipeline, systemPrompt: 'S', capabilities: { vision: true } },
  },
  caller: { userId: 'student' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'two' },
        { type: 'text', text: 'parts' },
      ],
    },
    { role: 'tool', content: 'after' },
  ],
  run: { id: 'run', signal: new AbortController().signal, emit: () => undefined },
  stream: false,
} as unknown as RunJob;

describe('the multi-tool pipeline', () => {
  const asked: OrchestrationJob[] = [];
  const orchestrator = {
    orchestrate: async (given: OrchestrationJob) => {
      asked.push(given);
      return result;
    },
  } as Orchestrator;

  it('asks the orchestrator with the compiled pipeline and the rights of the owner', async () => {
    await new MultiToolPipeline(orchestrator).prepare(job);
    expect(asked[0]).toMatchObject({
      systemPrompt: 'S',
      vision: true,
      owner: { userId: 'owner' },
      caller: { userId: 'student' },
      assistantId: 7,
      runId: 'run',
    });
    expect(asked[0]?.pipeline).toBe(compiled.pipeline);
  });

  it('reports every tool, every result and every message, without the data of images', async () => {
    const { messages, sources, report } = await new MultiToolPipeline(orchestrator).prepare(job);
    expect(messages).toBe(result.messages);
    expect(sources).toBe(result.sources);
    expect(report).toEqual({
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      orchestrator: 'parallel',
      assistant: { id: 7, name: 'Desk', type: 'multi_tool' },
      request: { user_message: 'two parts', stream: false },
      tools: pipeline.map(({ index, plugin, placeholder, enabled, config }) => ({
        index,
        plugin,
        placeholder,
        enabled,
        config,
      })),
      results: [
        expect.objectContaining({ index: 0, status: 'completed', chars: 5, source_numbers: [1], preview: 'found' }),
        expect.objectContaining({ index: 2, status: 'failed', chars: 0, code: 'tool.timeout', message: 'no answer' }),
        expect.objectContaining({ index: 3, status: 'skipped', message: 'why', preview: '' }),
      ],
      sources: result.sources,
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'P\n[image_url]' },
      ],
      prompt: [{ slot: '1_context', index: 0, text: 'found', chars: 5 }],
      warnings: ['fell back'],
    });
    expect(JSON.stringify(report)).not.toContain('SECRET');
  });

  it('reports the filled template in its parts: the question, what tools put there, what nothing fills', async () => {
    const template = 'A{1_context}{3_context}B{user_input}{9_context} {x}';
    const filled = {
      ...job,
      assistant: { ...job.assistant, compiled: compiledOf(template) },
    };
    const { report } = await new MultiToolPipeline(orchestrator).prepare(filled);
    expect(report.prompt).toEqual([
      { text: 'A', chars: 1 },
      { slot: '1_context', index: 0, text: 'found', chars: 5 },
      { slot: '3_context', index: 2, text: '', chars: 0 },
      { text: 'B', chars: 1 },
      { slot: 'user_input', text: 'two parts', chars: 9 },
      { slot: '9_context', text: '', chars: 0 },
      { text: ' {x}', chars: 4 },
    ]);
  });

  it('reports what the tools did when one that must not fail did', async () => {
    const orchestrate = () => Promise.reject(new ToolsFailed('The tool {3_context} failed', result.outcomes, null));
    const failing = {
      ...job,
      assistant: { ...job.assistant, compiled: { ...compiled, pipeline: { strategy: 'parallel' } } },
    } as RunJob;
    const pipeline = new MultiToolPipeline({ orchestrate } as unknown as Orchestrator);
    const unprepared = await onFailure<unknown>(
      () => pipeline.prepare(failing),
      (error) => error,
    );
    expect(unprepared).toBeInstanceOf(Unprepared);
    expect(unprepared).toMatchObject({
      code: 'tool_failed',
      report: {
        orchestrator: 'parallel',
        results: [{ status: 'completed' }, { status: 'failed' }, { status: 'skipped' }],
      },
    });
    expect((unprepared as Unprepared).report).not.toHaveProperty('prompt');
  });

  it('hands on stages, plan and tokens, and what looks at the answer afterwards', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const [completed] = result.outcomes;
    if (completed?.status !== 'completed') throw new Error('no outcome');
    const orchestrate = async (): Promise<OrchestrationResult> => ({
      ...result,
      stages: [['1_context'], ['3_context']],
      usage,
      afterAnswer: async (answer) => [{ ...completed, content: answer, usage }],
    });
    const prepared = await new MultiToolPipeline({ orchestrate } as unknown as Orchestrator).prepare(job);
    expect(prepared).toMatchObject({ usage, report: { stages: [['1_context'], ['3_context']] } });
    expect(await prepared.afterAnswer?.('So be it')).toMatchObject({ usage, results: [{ preview: 'So be it' }] });
    expect(await new MultiToolPipeline(orchestrator).prepare(job)).not.toHaveProperty('afterAnswer');
  });
});

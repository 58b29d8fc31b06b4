import type { Caller, RunEvent, Source } from '@bellwether/kernel';
import { compileTemplate } from '@bellwether/kernel/templates';
import type { RunJob } from '../assistants';
import type { Config } from '../infrastructure/config';
import { ProcessorCatalogue, type PromptProcessor, type RagProcessor } from '../processors';
import { ToolCatalogue, ToolFailure, ToolInvoker, type ToolOutput } from '../tools';
import { ClassicPipeline } from './classic.pipeline';

const OWNER = { organizationId: 'org', userId: 'owner' };
const source: Source = { type: 'rubric', rubric_id: 'r', title: 'Essay', format: 'markdown' };

/** Shows what it was given, so that the tests see what the pipeline handed on. */
const showing: PromptProcessor = {
  definition: { name: 'simple_augment', aliases: ['default'], description: '' },
  build: ({ messages, systemPrompt, template, rag, vision }) => ({
    messages: [{ role: 'system', content: JSON.stringify({ systemPrompt, template, rag, vision }) }, ...messages],
    droppedParts: 0,
  }),
};

function rag(name: string, run: () => Promise<ToolOutput>, slots = ['context']): RagProcessor {
  return { run, definition: { name, aliases: [], description: '', slots } };
}

const PROCESSORS = [
  rag('no_rag', () => Promise.reject(new Error('never called')), []),
  rag('finds', async () => ({ content: 'found', sources: [source, source], confidence: null, warnings: ['half'] })),
  rag('fails', () => Promise.reject(new ToolFailure('tool.inaccessible', 'gone'))),
  rag('hangs', () => new Promise(() => undefined)),
];

function jobOf(
  ragProcessor: string,
  { promptProcessor = 'simple_augment', signal = new AbortController().signal } = {},
) {
  const events: RunEvent[] = [];
  const document = {
    type: 'classic',
    systemPrompt: 'S',
    template: '{context}{user_input}',
    capabilities: { vision: false, image_generation: false },
    classic: {
      promptProcessor,
      ragProcessor,
      collections: ['1'],
      topK: 3,
      rubricId: null,
      rubricFormat: 'markdown',
      filePath: null,
      reads: ['collections'],
    },
  };
  const compiled = { template: compileTemplate(document.template, { types: [], names: ['context'] }), pipeline: null };
  const job = {
    assistant: { id: 7, name: 'Tutor', owner: OWNER, document, compiled },
    caller: { ...OWNER, userId: 'student' } as Caller,
    messages: [{ role: 'user', content: 'Q' }],
    functions: [{ name: 'f', description: '', parameters: {} }],
    run: { id: 'run', signal, emit: (event: RunEvent) => void events.push(event) },
    stream: true,
  } as unknown as RunJob;
  return { job, events };
}

/** Needs something looked up, and asks the RAG processor in its own way. */
const looking = (gather: PromptProcessor['gather']): PromptProcessor => ({
  definition: { name: 'looking', aliases: [], description: '' },
  build: ({ gathered, functions, rag }) => ({
    messages: [
      { role: 'user', content: JSON.stringify({ gathered: [...gathered], functions: functions.length, rag }) },
    ],
    droppedParts: 0,
  }),
  around: (inner) => ({ ...inner, run: () => inner.run({}, { query: 'other', messages: [] }, {} as never) }),
  ...(gather === undefined ? {} : { gather }),
});

const config = { tools: { defaultTimeoutMs: 50, parallelLimit: 5 } } as Config;
const pipeline = new ClassicPipeline(
  new ProcessorCatalogue([showing], PROCESSORS),
  new ToolInvoker(new ToolCatalogue([]), config),
);

const handedOn = (messages: readonly { readonly content?: unknown }[]): unknown =>
  JSON.parse(String(messages[0]?.content));

describe('the classic pipeline', () => {
  it('hands the context and its sources to the prompt processor and tells of the call like of a tool', async () => {
    const { job, events } = jobOf('finds');
    const { messages, sources, report } = await pipeline.prepare(job);
    expect(handedOn(messages)).toEqual({
      systemPrompt: 'S',
      template: '{context}{user_input}',
      rag: { context: 'found', sources: [source, source] },
      vision: false,
    });
    expect(sources).toEqual([
      { ...source, n: 1 },
      { ...source, n: 2 },
    ]);
    expect(events.map((event) => ('message' in event ? event.message : event.type))).toEqual([
      '🔄 Executing tool: finds → context',
      '✅ Tool completed: finds → 5 chars to context',
      'half',
    ]);
    expect(report).toMatchObject({
      orchestrator: null,
      assistant: { id: 7, name: 'Tutor', type: 'classic' },
      request: { user_message: 'Q', stream: true },
      tools: [{ index: 0, plugin: 'finds', placeholder: 'context', enabled: true, config: { collections: ['1'] } }],
      results: [{ status: 'completed', chars: 5, sources: 2, preview: 'found' }],
      sources,
      warnings: ['half'],
    });
    expect(report.messages.at(-1)).toEqual({ role: 'user', content: 'Q' });
    expect(report.prompt).toEqual([
      { slot: 'context', index: 0, text: 'found', chars: 5 },
      { slot: 'user_input', text: 'Q', chars: 1 },
    ]);
  });

  it('reports its settings under the names that tools of the same kind have', async () => {
    const { report } = await pipeline.prepare(jobOf('finds').job);
    expect(report.tools.map(({ config }) => config)).toEqual([
      { collections: ['1'], top_k: 3, rubric_id: null, rubric_format: 'markdown', file_path: null },
    ]);
  });

  it('has an empty context, and no tool, without retrieval', async () => {
    const { job, events } = jobOf('no_rag');
    const { messages, report } = await pipeline.prepare(job);
    expect(handedOn(messages)).toMatchObject({ rag: { context: '', sources: [] } });
    expect(events).toEqual([]);
    expect(report).toMatchObject({ tools: [], results: [], warnings: [] });
  });

  it('has no context at all where no RAG processor was ever chosen', async () => {
    const { job } = jobOf('no_rag');
    const { document } = job.assistant;
    const classic = { ...document.classic, ragProcessorAbsent: true };
    const assistant = { ...job.assistant, document: { ...document, classic } };
    const { messages } = await pipeline.prepare({ ...job, assistant });
    expect(handedOn(messages)).toMatchObject({ rag: null });
  });

  it.each([
    ['fails', 'tool.inaccessible'],
    ['hangs', 'tool.timeout'],
  ])('has no context when the processor %s, and none of its error either', async (name, code) => {
    const { job, events } = jobOf(name);
    const { messages, sources, report } = await pipeline.prepare(job);
    expect(handedOn(messages)).toMatchObject({ rag: null });
    expect(sources).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'tool.failed', code });
    expect(report.results).toMatchObject([{ status: 'failed', code }]);
  });

  it('goes on with a warning for processors that do not exist', async () => {
    const { job, events } = jobOf('quantum_rag', { promptProcessor: 'moodle_augment' });
    const { messages, report } = await pipeline.prepare(job);
    expect(handedOn(messages)).toMatchObject({ rag: null });
    expect(report.warnings).toEqual([
      "There is no RAG processor 'quantum_rag': no context",
      "There is no prompt processor 'moodle_augment': 'simple_augment' ran instead",
    ]);
    expect(events.map(({ type }) => type)).toEqual(['warning', 'warning']);
  });

  const lookingPipeline = (gather: PromptProcessor['gather']): ClassicPipeline =>
    new ClassicPipeline(
      new ProcessorCatalogue([showing, looking(gather)], PROCESSORS),
      new ToolInvoker(new ToolCatalogue([]), config),
    );

  it('hands on what the prompt processor looks up, with the functions of the run', async () => {
    const gather = jest.fn(async () => ({ values: new Map([['who', 'Ada']]), warnings: ['slowly'] }));
    const { job, events } = jobOf('finds', { promptProcessor: 'looking' });
    const { messages, report } = await lookingPipeline(gather).prepare(job);
    expect(handedOn(messages)).toMatchObject({ gathered: [['who', 'Ada']], functions: 1, rag: { context: 'found' } });
    expect(gather).toHaveBeenCalledWith({ signal: job.run.signal, caller: job.caller, owner: OWNER });
    expect(report.warnings).toEqual(['half', 'slowly']);
    expect(events.at(-1)).toMatchObject({ type: 'warning', code: 'processor.degraded' });
  });

  it('goes on with empty slots, and without the error, when something cannot be looked up', async () => {
    const { job } = jobOf('no_rag', { promptProcessor: 'looking' });
    const { messages, report } = await lookingPipeline(() => Promise.reject(new Error('secret'))).prepare(job);
    expect(handedOn(messages)).toMatchObject({ gathered: [] });
    expect(report.warnings).toEqual(['looking could not look up what its slots need']);
  });

  it('ends with the run', async () => {
    const controller = new AbortController();
    const running = pipeline.prepare(jobOf('hangs', { signal: controller.signal }).job);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });
});

import assert from 'node:assert/strict';
import type { JsonObject } from '@bellwether/kernel';
import { Ajv } from 'ajv';
import type { CompiledTool } from '../compiled-tool.types';
import type { ConnectorEntry } from '../connector.types';
import type { Entry, PluginKind } from '../define-plugin';
import type { FunctionContext, FunctionPlugin } from '../function.types';
import { entryProblems, SCHEMA_VOCABULARY } from '../plugin-problems';
import type { PromptInput, PromptProcessor, RagProcessor, RagSettings } from '../processor.types';
import type { OrchestratorStrategy, RunStrategy, StrategyContext } from '../strategy.types';
import { DISPLAY_LANGUAGES, type Tool, type ToolContext, type ToolInput, type ToolOutput } from '../tool.types';

/** One obligation of a plugin, for any test runner: `for (const { name, check } of checks) test(name, check)`. */
export interface Check {
  readonly name: string;
  /** Rejects when the plugin does not keep it. */
  readonly check: () => Promise<void>;
}

const OWNER = { organizationId: 'organization', userId: 'owner' };
const CALLER: ToolContext['caller'] = {
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
const INPUT: ToolInput = { query: 'Why is it blue?', messages: [{ role: 'user', content: 'Why is it blue?' }] };

/** The surroundings of a call of a tool or a RAG processor, without earlier results. */
export const toolContext = (more: Partial<ToolContext> = {}): ToolContext => ({
  ...{ owner: OWNER, caller: CALLER, assistantId: 1, connector: 'auto', runId: 'run', assistants: null },
  signal: new AbortController().signal,
  remainingMs: 10_000,
  prompt: '',
  results: new Map(),
  answer: null,
  progress: () => undefined,
  ...more,
});

const made = <T extends object>(entry: Entry<T>): T => (typeof entry === 'function' ? new entry() : entry);
const checkOf = (name: string, check: () => Promise<void> | void): Check => ({ name, check: async () => check() });

interface Settings {
  /** Settings that the plugin works with; its defaults without them. */
  readonly working?: JsonObject;
  /** Settings that its schema must refuse. */
  readonly refused?: readonly unknown[];
}

/** Obligations of every definition. */
function definitionChecks(kind: PluginKind, entry: { readonly definition: object }): Check[] {
  const { definition } = entry;
  return [
    checkOf('declares itself completely', () => assert.deepEqual(entryProblems(kind, entry), [])),
    checkOf('declares itself in plain JSON', () =>
      assert.deepEqual(JSON.parse(JSON.stringify(definition)), definition),
    ),
    checkOf('has its texts in every language of the web UI', () => {
      const { texts = {} } = definition as { readonly texts?: object };
      const missing = DISPLAY_LANGUAGES.filter((language) => language !== 'en' && !(language in texts));
      assert.deepEqual(missing, [], `no texts in ${missing.join(', ')}`);
    }),
  ];
}

function settingsChecks(
  schema: JsonObject,
  examples: readonly JsonObject[],
  { working = {}, refused = [] }: Settings,
): Check[] {
  const accepts = (settings: unknown): boolean =>
    new Ajv({ useDefaults: true, allowUnionTypes: true }).addVocabulary(SCHEMA_VOCABULARY).compile(schema)(
      structuredClone(settings),
    );
  return [
    checkOf('accepts no settings, the working ones and its examples', () => {
      for (const settings of [{}, working, ...examples]) assert.ok(accepts(settings), JSON.stringify(settings));
    }),
    checkOf('refuses settings that it does not know, and wrong ones', () => {
      for (const settings of [{ ...working, surprise: 1 }, null, ...refused])
        assert.ok(!accepts(settings), JSON.stringify(settings));
    }),
  ];
}

/** A copy with the defaults of the schema, as the service hands it on. */
function completed(schema: JsonObject, working: JsonObject = {}): JsonObject {
  const settings = structuredClone(working);
  new Ajv({ useDefaults: true, allowUnionTypes: true }).addVocabulary(SCHEMA_VOCABULARY).compile(schema)(settings);
  return settings;
}

function assertOutput({ content, sources, confidence, citations = [] }: ToolOutput): void {
  assert.equal(typeof content, 'string', 'content must be a text');
  assert.ok(Array.isArray(sources), 'sources must be a list');
  assert.ok(confidence === null || (confidence >= 0 && confidence <= 1), 'confidence must be null or between 0 and 1');
  for (const { at, source } of citations) {
    assert.ok(at >= 0 && at <= content.length, `no place ${at} in the content`);
    assert.ok(source in sources, `no source ${source}`);
  }
}

/** Ends soon whether it resolves or rejects. */
async function assertEnds(work: () => Promise<unknown>, limitMs = 5_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${limitMs} ms of the abort`)), limitMs);
  });
  const ended = Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      () => undefined,
    );
  await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/** The obligations of a tool. */
export function toolChecks(
  entry: Entry<Tool<never>>,
  settings: Settings & { readonly input?: ToolInput } = {},
): Check[] {
  const tool = made(entry) as Tool;
  const { config_schema: schema, examples } = tool.definition;
  const { working, input = INPUT } = settings;
  return [
    ...definitionChecks('tools', tool),
    ...settingsChecks(
      schema,
      examples.map(({ parameters }) => parameters),
      settings,
    ),
    checkOf('runs, and leaves settings and question as they were', async () => {
      const config = completed(schema, working);
      const before = structuredClone({ config, input });
      assertOutput(await tool.run(config, input, toolContext()));
      assert.deepEqual({ config, input }, before);
    }),
    checkOf('ends when its signal is aborted', () =>
      assertEnds(async () => tool.run(completed(schema, working), input, toolContext({ signal: AbortSignal.abort() }))),
    ),
  ];
}

/** The obligations of a function; `args` are arguments for the first function that it offers, null calls none. */
export function functionChecks(
  entry: Entry<FunctionPlugin<never>>,
  settings: Settings & { readonly args?: JsonObject | null } = {},
): Check[] {
  const plugin = made(entry) as FunctionPlugin;
  const { config_schema: schema, examples, function_name: fixed } = plugin.definition;
  const { working, args = {} } = settings;
  const context: FunctionContext = toolContext();
  const config = (): JsonObject => completed(schema, working);
  return [
    ...definitionChecks('functions', plugin),
    ...settingsChecks(
      schema,
      examples.map(({ parameters }) => parameters),
      settings,
    ),
    checkOf('offers functions with names and schemas that every vendor takes', async () => {
      const offered = await plugin.offer(config(), context);
      assert.ok(offered.length > 0, 'nothing is offered');
      for (const { name, description, parameters } of offered) {
        assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
        assert.notEqual(description, '');
        assert.deepEqual([parameters['type'], parameters['additionalProperties']], ['object', false]);
        new Ajv().compile(parameters);
      }
      if (fixed !== undefined)
        assert.deepEqual(
          offered.map(({ name }) => name),
          [fixed],
        );
    }),
    ...(args === null ? [] : [callCheck(plugin, config, args)]),
  ];
}

/** Arguments come from a model and have passed the declared schema. */
const callCheck = (plugin: FunctionPlugin, config: () => JsonObject, args: JsonObject): Check =>
  checkOf('answers a call with arguments that it declares', async () => {
    const context: FunctionContext = toolContext();
    const [first] = await plugin.offer(config(), context);
    assert.ok(first !== undefined, 'nothing is offered');
    assert.ok(new Ajv().compile(first.parameters)(args), `${JSON.stringify(args)} are no arguments of ${first.name}`);
    const { content } = await plugin.call(first.name, args, config(), context);
    assert.equal(typeof content, 'string', 'content must be a text');
  });

const SETTINGS: RagSettings = { collections: [], topK: 3, rubricId: null, rubricFormat: 'markdown', filePath: null };

/** The obligations of a RAG processor. */
export function ragProcessorChecks(
  entry: Entry<RagProcessor>,
  {
    settings = {},
    input = INPUT,
    context = {},
  }: {
    readonly settings?: Partial<RagSettings>;
    readonly input?: ToolInput;
    readonly context?: Partial<ToolContext>;
  } = {},
): Check[] {
  const processor = made(entry);
  const { slots = [] } = processor.definition;
  const run = async (more: Partial<ToolContext> = {}): Promise<ToolOutput> =>
    processor.run({ ...SETTINGS, ...settings }, input, toolContext({ ...context, ...more }));
  return [
    ...definitionChecks('ragProcessors', processor),
    checkOf('fills {context}, or nothing at all', async () => {
      assert.ok(
        slots.every((slot) => slot === 'context'),
        `slots are ${slots.join(', ')}`,
      );
      const output = await run();
      assertOutput(output);
      if (slots.length === 0) assert.equal(output.content, '', 'it gives content and declares no slot');
    }),
    checkOf('ends when its signal is aborted', () => assertEnds(() => run({ signal: AbortSignal.abort() }))),
  ];
}

/** The obligations of a prompt processor. */
export function promptProcessorChecks(entry: Entry<PromptProcessor>, more: Partial<PromptInput> = {}): Check[] {
  const processor = made(entry);
  const { slots = [] } = processor.definition;
  const gathered = new Map(slots.map((slot) => [slot, `value of ${slot}`]));
  const input = (): PromptInput => ({
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Good morning' },
      { role: 'user', content: 'Why is it blue? {context}' },
    ],
    systemPrompt: 'You teach.',
    template: `${slots.map((slot) => `{${slot}} `).join('')}{context} {user_input}`,
    rag: { context: 'Light has many colours.', sources: [] },
    vision: false,
    functions: [],
    gathered,
    ...more,
  });
  const textOf = (given: PromptInput): string => JSON.stringify(processor.build(given).messages);
  return [
    ...definitionChecks('promptProcessors', processor),
    checkOf('builds messages that hold system prompt, question, context and its own slots', () => {
      const text = textOf(input());
      for (const part of ['You teach.', 'Why is it blue?', 'Light has many colours.', ...gathered.values()])
        assert.ok(text.includes(part), `the messages lack: ${part}`);
    }),
    checkOf('keeps what looks like a slot in a question', () => {
      assert.ok(textOf({ ...input(), rag: null }).includes('{context}'), 'a question is data, not a template');
    }),
    checkOf('is pure: the same input gives the same messages and stays as it is', () => {
      const given = input();
      const before = structuredClone(given);
      assert.equal(textOf(given), textOf(given));
      assert.deepEqual(given, before);
    }),
    checkOf('builds messages for an empty assistant', () => {
      const { messages } = processor.build({ ...input(), template: '', systemPrompt: '', rag: null });
      assert.ok(messages.some(({ role }) => role === 'user'));
    }),
    checkOf('gathers values for its own slots alone', async () => {
      const { values } = (await processor.gather?.(toolContext())) ?? { values: new Map<string, string>() };
      assert.deepEqual(
        [...values.keys()].filter((slot) => !slots.includes(slot)),
        [],
      );
    }),
  ];
}

interface VendorExchange {
  /** A whole answer of the vendor, the events of the same answer streamed, and its text. */
  readonly whole: JsonObject;
  readonly events: readonly JsonObject[];
  readonly text: string;
  /** Events that stand for a failure. */
  readonly failures?: readonly JsonObject[];
}

/** The obligations of a connector; one with a vendor needs an exchange, taken from the vendor's documentation. */
export function connectorChecks(entry: Entry<ConnectorEntry>, exchange?: VendorExchange): Check[] {
  const connector = made(entry);
  const { definition, codec, answer } = connector;
  const request = { model: definition.defaultModel ?? 'model', messages: INPUT.messages, params: {} };
  const checks = definitionChecks('connectors', connector);
  if (codec === undefined) {
    const check = checkOf('writes an answer', () => assert.equal(typeof answer?.(request), 'string'));
    return [...checks, check];
  }
  assert.ok(exchange !== undefined, 'a connector with a vendor needs an exchange');
  const { whole, events, text, failures = [] } = exchange;
  const assertReads = (parts: readonly JsonObject[]): void => {
    const decoder = codec.decoder(100_000);
    assert.equal(parts.map((part) => decoder.add(part).text).join(''), text);
    assert.ok(decoder.finished, 'the answer does not end');
    assert.equal(typeof decoder.finishReason, 'string');
    assert.ok(Number.isInteger(decoder.usage.total_tokens), 'usage counts no tokens');
  };
  return [
    ...checks,
    ...[true, false].map((stream) =>
      checkOf(`encodes a request for ${stream ? 'a stream' : 'a whole answer'} that holds the question`, () => {
        const target = { baseUrl: 'https://vendor.example', apiKey: 'secret-key', trusted: false };
        const { path, body } = codec.encode({ request, target, stream, images: new Map(), recall: () => undefined });
        assert.match(path, /^\//);
        const sent = JSON.stringify(body);
        assert.ok(
          sent.includes(INPUT.query) && !sent.includes(target.apiKey),
          'the body must hold the question and no key',
        );
      }),
    ),
    checkOf('reads a whole answer', () => assertReads([whole])),
    checkOf('reads a stream', () => assertReads(events)),
    checkOf('tells failures from parts of an answer', () => {
      for (const part of [whole, ...events]) assert.equal(codec.failure?.(part) ?? null, null);
      for (const failure of failures) assert.notEqual(codec.failure?.(failure) ?? null, null);
    }),
  ];
}

const TOOL: CompiledTool = {
  index: 0,
  plugin: 'echo',
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
  phase: 'pipeline',
  call: { code: 'tool.failed', message: 'no strategy looks at it' },
  fallbackCall: null,
};

const toolsOf = (count: number): CompiledTool[] =>
  Array.from({ length: count }, (_, index) => ({ ...TOOL, index, placeholder: `${index + 1}_context` }));

/** An engine that only records: tools fail where `fails` says so, and take a turn of the event loop. */
function recordedRun(fails = false): {
  readonly context: StrategyContext;
  readonly told: string[];
  readonly open: () => number;
} {
  const told: string[] = [];
  let open = 0;
  const start: StrategyContext['start'] = async ({ index, plugin, placeholder }, texts, _after, step) => {
    told.push(`${index}${step === undefined ? '' : ` ${step.id}`}`);
    assert.equal(typeof texts.started('tool'), 'string');
    open += 1;
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    const ref = { index, plugin, placeholder, duration_ms: 1, retries: 0 };
    return fails
      ? { ...ref, status: 'failed', code: 'tool.failed', message: 'out of order' }
      : { ...ref, ...NOTHING_FOUND, status: 'completed' };
  };
  const context: StrategyContext = {
    request: {
      ...{ runId: 'run', assistantId: 1, assistantVersion: 1, question: INPUT.query, messages: INPUT.messages },
      ...{ metadata: {}, caller: CALLER, owner: OWNER, connector: 'auto' },
    },
    signal: new AbortController().signal,
    emit: () => undefined,
    declare: () => undefined,
    start,
    call: start,
    skip: ({ index, plugin, placeholder }, reason, stepId) => {
      told.push(`${index}${stepId === undefined ? '' : ` ${stepId}`}`);
      assert.notEqual(reason, '', 'a skipped tool needs a reason');
      return { index, plugin, placeholder, duration_ms: 0, status: 'skipped', reason };
    },
  };
  return { context, told, open: () => open };
}

const NOTHING_FOUND = {
  ...{
    content: '',
    chars: 0,
    sources: [],
    citations: [],
    confidence: null,
    cached: false,
    warnings: [],
    truncated: false,
  },
};

/** The obligations of a strategy. */
export function strategyChecks(entry: Entry<OrchestratorStrategy>, settings: Settings = {}): Check[] {
  const strategy = made(entry);
  const { options_schema: schema } = strategy.definition;
  const options = completed(schema, settings.working);
  const assertRuns = async (run: RunStrategy, fails: boolean): Promise<void> => {
    const { context, told, open } = recordedRun(fails);
    await run(context);
    assert.equal(open(), 0, 'it ended before the tools that it started');
    assert.equal(new Set(told).size, told.length, `started or skipped twice: ${told.join(', ')}`);
  };
  return [
    ...definitionChecks('strategies', strategy),
    ...settingsChecks(schema, [], settings),
    checkOf('starts or skips each tool once at most, and waits for what it started', async () => {
      for (const count of [0, 1, 5]) await assertRuns(strategy.compile(toolsOf(count), options), false);
    }),
    checkOf('ends when every tool fails', () => assertRuns(strategy.compile(toolsOf(5), options), true)),
    checkOf('compiles once for many runs at the same time', async () => {
      const run = strategy.compile(toolsOf(5), options);
      await Promise.all([assertRuns(run, false), assertRuns(run, true), assertRuns(run, false)]);
    }),
  ];
}

import type { Caller, RunEvent, Source } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { Config } from '../infrastructure/config';
import type { Invocation, PipelineTool, Tool, ToolCaching, ToolContext, ToolInput, ToolOutcome } from './contract';
import { CALLER, entry, fakeTool, invocation, OWNER, TOOL_CONFIG } from './testing/call';
import { ToolCatalogue } from './tool-catalogue';
import { ToolInvoker } from './tool-invoker';

const ask = (query: string, ...before: string[]): ToolInput => ({
  query,
  messages: [...before, query].map((content) => ({ role: 'user', content })),
});
const contentOf = (outcome: ToolOutcome): unknown => ('content' in outcome ? outcome.content : null);
const output = (content: string, more: object = {}) => ({ content, sources: [], confidence: 0.7, ...more });

interface Case {
  readonly caching?: ToolCaching | undefined;
  readonly run?: (context: ToolContext, input: ToolInput) => Promise<ReturnType<typeof output>>;
  readonly config?: Partial<Config['tools']>;
}

/** A tool that counts its runs and, unless told otherwise, answers with its count. */
function room({ caching, run, config = {} }: Case) {
  let runs = 0;
  const tool: Tool = {
    ...fakeTool(async (_, input, context) => {
      runs += 1;
      return run === undefined ? output(`run ${runs}`) : run(context, input);
    }),
    ...(caching === undefined ? {} : { caching }),
  };
  const invoker = new ToolInvoker(new ToolCatalogue([tool]), { tools: { ...TOOL_CONFIG.tools, ...config } } as Config);
  return {
    runs: () => runs,
    call: async (
      input: ToolInput = ask('why?'),
      about: Partial<Invocation> = {},
      more: Partial<PipelineTool> = {},
    ): Promise<ToolOutcome> => invoker.invoke(entry(more), input, invocation(about)),
  };
}

beforeEach(() => Logger.overrideLogger(false));

describe('a result', () => {
  it('answers an equal question again, at no cost, and says so', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const { call, runs } = room({ caching: {}, run: async () => output('x', { usage, query: 'q' }) });
    const events: RunEvent[] = [];
    expect(await call()).toMatchObject({ cached: false, content: 'x', usage });
    expect(await call(ask('why?'), { emit: (event) => void events.push(event) })).toMatchObject({
      status: 'completed',
      cached: true,
      content: 'x',
      confidence: 0.7,
      query: 'q',
      usage: null,
    });
    expect(events.at(-1)).toMatchObject({ type: 'tool.completed', cached: true });
    expect(runs()).toBe(1);
  });

  it('answers every question where the tool reads content alone, with the warnings about the content', async () => {
    const { call, runs } = room({
      caching: { forEveryQuestion: true },
      run: async () => output('x', { warnings: ['the file was cut'] }),
    });
    await call(ask('why?'));
    expect(await call(ask('how?'))).toMatchObject({ cached: true, content: 'x', warnings: ['the file was cut'] });
    expect(runs()).toBe(1);
  });

  it.each<[string, Case, Partial<PipelineTool>]>([
    ['the operator has switched it off', { config: { cacheEnabled: false } }, {}],
    ['it is kept for no time', { config: { cacheTtlMs: 0 } }, {}],
    ['the entry does not want it', {}, { cache: false }],
    ['the tool does not declare it', { caching: undefined }, {}],
    ['its content has no version', { caching: { contentVersion: async () => null } }, {}],
    [
      'the owner may not read what it is made from',
      { caching: { contentVersion: () => Promise.reject(new Error('no')) } },
      {},
    ],
    ['it is degraded', { run: async () => output('x', { warnings: ['slow'] }) }, {}],
    [
      'it is said to be for every question, and the tool looked at the question',
      { caching: { forEveryQuestion: true }, run: async (_, input) => output(input.query) },
      {},
    ],
    ['it was cut', { run: async () => output('x'.repeat(60_000)) }, {}],
    ['the tool looked at the conversation', { run: async (_, input) => output(String(input.messages.length)) }, {}],
    ['the tool looked at other tools’ results', { run: async (context) => output(String(context.results.size)) }, {}],
    ['the tool looked at the prompt', { run: async (context) => output(context.prompt) }, {}],
    ['the tool looked at who asks', { run: async (context) => output(context.caller.userId) }, {}],
    ['the tool looked at the assistant', { run: async (context) => output(String(context.assistantId)) }, {}],
    [
      'the tool asked other assistants',
      { run: async (context) => output(context.assistants === null ? 'none' : 'some') },
      {},
    ],
    ['it has no room', { config: { cacheBytes: 4_000 }, run: async () => output('x'.repeat(400)) }, {}],
  ])('is not kept where %s', async (_, about, more) => {
    const { call, runs } = room({ caching: {}, ...about });
    await call(ask('why?'), {}, more);
    expect(await call(ask('why?'), {}, more)).toMatchObject({ cached: false });
    expect(runs()).toBe(2);
  });

  it('of a failure is not kept', async () => {
    let runs = 0;
    const { call } = room({
      caching: {},
      run: async () => {
        runs += 1;
        if (runs === 1) throw new Error('once');
        return output('x');
      },
    });
    expect(await call()).toMatchObject({ status: 'failed' });
    expect(await call()).toMatchObject({ status: 'completed', cached: false });
  });

  it('is told of once when the tool looks at what it does not declare', async () => {
    const warn = jest.fn();
    Logger.overrideLogger({ log: jest.fn(), error: jest.fn(), warn });
    const { call } = room({ caching: {}, run: async (context) => output(context.caller.userId + context.prompt) });
    await call();
    await call();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toBe(
      'results of fake are not kept: its caching does not declare that it reads caller, prompt',
    );
  });

  it('lasts as long as it may, and gives way to newer ones', async () => {
    const short = room({ caching: {}, config: { cacheTtlMs: 20 } });
    await short.call();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await short.call()).toMatchObject({ cached: false });
    const small = room({ caching: {}, config: { cacheBytes: 100_000 }, run: async () => output('x'.repeat(4_000)) });
    for (let question = 0; question < 20; question += 1) await small.call(ask(`question ${question}`));
    expect(await small.call(ask('question 0'))).toMatchObject({ cached: false });
    expect(await small.call(ask('question 19'))).toMatchObject({ cached: true });
  });

  it('is the caller’s own again: its links are signed anew, and a renewal that fails runs the tool', async () => {
    const source = (url: string): Source => ({
      type: 'knowledge_base',
      title: 'T',
      url,
      similarity: 1,
      document: null,
    });
    let fails = false;
    const { call, runs } = room({
      caching: {
        renew: (kept, context) => {
          if (fails) throw new Error('no key');
          return { ...kept, sources: [source(`/for/${context.caller.userId}`)] };
        },
      },
      run: async (context) => output('x', { sources: [source(`/for/${context.caller.userId}`)] }),
    });
    const ada: Caller = { ...CALLER, userId: 'ada' };
    await call();
    expect(await call(ask('why?'), { caller: ada })).toMatchObject({ cached: true, sources: [{ url: '/for/ada' }] });
    expect(await call()).toMatchObject({ cached: true, sources: [{ url: `/for/${CALLER.userId}` }] });
    fails = true;
    expect(await call()).toMatchObject({ cached: false });
    expect(runs()).toBe(2);
  });

  it('is read anew when its content has changed, on the same rows that say who may read it', async () => {
    let version = 'a';
    const asked: string[] = [];
    const { call } = room({
      caching: {
        contentVersion: async (_, { owner }) => {
          asked.push(owner.userId);
          return version;
        },
      },
    });
    await call();
    expect(await call()).toMatchObject({ cached: true });
    version = 'b';
    expect(await call()).toMatchObject({ cached: false });
    expect(asked).toEqual([OWNER.userId, OWNER.userId, OWNER.userId]);
  });
});

const MEMBERS = [
  'organizationId',
  'owner',
  'caller',
  'endUser',
  'connector',
  'config',
  'query',
  'before',
  'earlier',
  'prompt',
  'version',
] as const;

describe('results of many callers', () => {
  const names = fc.constantFrom('a', 'b');
  const situation = fc.record({
    organizationId: names,
    owner: names,
    caller: names,
    endUser: fc.option(names, { nil: undefined }),
    connector: names,
    config: names,
    query: names,
    before: names,
    earlier: names,
    prompt: names,
    version: names,
  });
  type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;
  /** The same situation again and again, with one member changed now and then. */
  const sequence = fc
    .tuple(situation, fc.array(fc.record({ member: fc.constantFrom(...MEMBERS), to: names }), { maxLength: 40 }))
    .map(([first, changes]) => {
      const all: Situation[] = [first];
      for (const { member, to } of changes) all.push({ ...first, [member]: to });
      return all;
    });

  /** A tool that answers with everything that it may see, so that a result of another situation would show. */
  const showing = (now: () => Situation): Tool => ({
    ...fakeTool(
      async (config, input, context) => {
        const seen = [config, input.query, input.messages, context.owner, context.caller, context.connector];
        return output(JSON.stringify([...seen, [...context.results], context.prompt, now().version]));
      },
      { config_schema: { type: 'object' } },
    ),
    caching: {
      personal: true,
      messages: () => true,
      results: true,
      contentVersion: async () => now().version,
    },
  });

  const aboutOf = (at: Situation): Partial<Invocation> => ({
    owner: { organizationId: at.organizationId, userId: at.owner },
    caller: {
      ...CALLER,
      organizationId: at.organizationId,
      userId: at.caller,
      ...(at.endUser === undefined ? {} : { endUser: { source: 'metadata.user_id' as const, id: at.endUser } }),
    },
    connector: at.connector,
    prompt: () => at.prompt,
    results: () =>
      new Map([
        [
          '1_context',
          { index: 0, plugin: 'p', placeholder: '1_context', duration_ms: 1, status: 'skipped', reason: '' },
        ],
        ['2_context', { ...completed, content: at.earlier }],
      ]),
  });
  const completed = {
    index: 1,
    plugin: 'p',
    placeholder: '2_context',
    duration_ms: 1,
    status: 'completed',
    chars: 1,
    sources: [],
    citations: [],
    confidence: null,
    cached: false,
    retries: 0,
    warnings: [],
    truncated: false,
  } as const;

  it('are never another organization’s, owner’s, caller’s, question’s, conversation’s, config’s or version’s', async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(sequence, async (situations) => {
        let [at] = situations as [Situation];
        const kept = new ToolInvoker(new ToolCatalogue([showing(() => at)]), TOOL_CONFIG);
        const fresh = new ToolInvoker(new ToolCatalogue([showing(() => at)]), TOOL_CONFIG);
        for (at of situations) {
          const input = ask(at.query, at.before);
          const tool = entry({ config: { name: at.config } });
          const outcome = await kept.invoke(tool, input, invocation(aboutOf(at)));
          const expected = await fresh.invoke({ ...tool, cache: false }, input, invocation(aboutOf(at)));
          expect(outcome).toMatchObject({ status: 'completed', content: contentOf(expected) });
          if (outcome.status === 'completed' && outcome.cached) hits += 1;
        }
      }),
      { numRuns: 100 },
    );
    expect(hits).toBeGreaterThan(50);
  }, 30_000);
});

import { AppError, notFound, type RunEvent } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { CallScope, type Tool, TOOL_FAILURE_CODES, ToolFailure, type ToolContext, type ToolOutcome } from './contract';
import { entry, fakeTool, invocation, invokerOf, OWNER } from './testing/call';
import { OUTPUT_LIMIT } from './call';
import { PARALLEL_TEXTS } from './describe-failure';

const INPUT = { query: 'why?', messages: [{ role: 'user', content: 'why?' }] as const };
const output = (content: unknown, more: object = {}): never =>
  ({ content, sources: [], confidence: null, ...more }) as never;

/** A promise for whatever reason: plugins are not always ours. */
const rejectWith = (reason: unknown): never =>
  ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(reason) }) as never;

const call = async (
  run: Tool['run'],
  more: Parameters<typeof entry>[0] = {},
  about = invocation(),
): Promise<ToolOutcome> => invokerOf(fakeTool(run)).invoke(entry(more), INPUT, about);

const types = (events: readonly RunEvent[]): string[] => events.map((event) => event.type);

beforeAll(() => Logger.overrideLogger(false));

describe('a call that works', () => {
  it('ends as a completed outcome, told by the documented texts', async () => {
    const about = invocation();
    const outcome = await call(async () => output('12345'), { index: 3 }, about);
    expect(outcome).toEqual({
      index: 3,
      plugin: 'fake',
      placeholder: '1_context',
      status: 'completed',
      chars: 5,
      content: '12345',
      sources: [],
      citations: [],
      passages: [],
      confidence: null,
      cached: false,
      retries: 0,
      query: null,
      warnings: [],
      truncated: false,
      usage: null,
      duration_ms: expect.any(Number),
    });
    expect(about.events).toEqual([
      {
        type: 'tool.started',
        index: 3,
        plugin: 'fake',
        placeholder: '1_context',
        message: '🔄 Executing tool: fake → 1_context',
      },
      {
        type: 'tool.completed',
        index: 3,
        plugin: 'fake',
        placeholder: '1_context',
        chars: 5,
        sources: 0,
        duration_ms: expect.any(Number),
        cached: false,
        confidence: null,
        retries: 0,
        message: '✅ Tool completed: fake → 5 chars to 1_context',
      },
    ]);
  });

  it('uses the other texts when tools run at the same time', async () => {
    const about = invocation({ texts: PARALLEL_TEXTS });
    await call(async () => output('12345'), {}, about);
    expect(about.events.map((event) => 'message' in event && event.message)).toEqual([
      '🔄 Starting tool: fake → 1_context',
      '✅ Completed tool: fake → 5 chars to 1_context',
    ]);
  });

  it('sees its config with defaults, the owner, the prompt and earlier results, and the stored config stays as it is', async () => {
    const seen: unknown[] = [];
    const tool = fakeTool(
      async (config, input, context) => {
        seen.push(config, input.query, context.prompt, context.results.size, context.owner);
        return output('');
      },
      { config_schema: { type: 'object', properties: { top_k: { type: 'integer', default: 3 } } } },
    );
    const about = invocation({ prompt: () => 'so far', results: () => new Map() });
    const stored = {};
    await invokerOf(tool).invoke(entry({ config: stored }), INPUT, about);
    expect(seen).toEqual([{ top_k: 3 }, 'why?', 'so far', 0, about.owner]);
    expect(stored).toEqual({});
  });

  it('does not build the prompt for a tool that does not look at it', async () => {
    const prompt = jest.fn(() => '');
    await call(async () => output(''), {}, invocation({ prompt }));
    expect(prompt).not.toHaveBeenCalled();
  });

  it('passes placeholders in content on as they are', async () => {
    expect(await call(async () => output('{user_input} $& {2_rubric}'))).toMatchObject({
      content: '{user_input} $& {2_rubric}',
    });
  });

  it('keeps progress on one line, without control over the other events', async () => {
    const about = invocation();
    const late: ToolContext[] = [];
    await call(
      async (_, __, context) => {
        late.push(context);
        context.progress(`reading\nfile ${'x'.repeat(500)}`);
        context.progress({} as never);
        return output('');
      },
      {},
      about,
    );
    late[0]?.progress('after the end');
    expect(types(about.events)).toEqual(['tool.started', 'tool.progress', 'tool.completed']);
    expect(about.events[1]).toMatchObject({ message: expect.stringMatching(/^reading file x{187}$/) });
  });
});

describe('a call that fails', () => {
  it.each<[string, Tool['run'], Partial<ToolOutcome>]>([
    [
      'throws at once',
      () => {
        throw new Error('secret');
      },
      { code: 'tool.failed', message: 'the tool stopped with an error' } as never,
    ],
    ['rejects', () => Promise.reject(new Error('secret')), { code: 'tool.failed' } as never],
    ['throws null', () => rejectWith(null), { code: 'tool.failed' } as never],
    [
      'throws a trap',
      () =>
        rejectWith(
          new Proxy(
            {},
            {
              getPrototypeOf: () => {
                throw new Error('trap');
              },
            },
          ),
        ),
      { code: 'tool.failed' } as never,
    ],
    [
      'knows why',
      () => Promise.reject(new ToolFailure('tool.inaccessible', 'gone')),
      { code: 'tool.inaccessible', message: 'gone' } as never,
    ],
    ['finds nothing', () => Promise.reject(notFound('Rubric')), { code: 'tool.inaccessible' } as never],
    [
      'is refused',
      () => Promise.reject(new AppError('outbound_refused', 'not there')),
      { code: 'tool.failed', message: 'not there' } as never,
    ],
    [
      'breaks inside',
      () => Promise.reject(new AppError('internal_error', 'SELECT 1')),
      { message: 'the tool stopped with an error' },
    ],
    ['answers null', async () => null as never, { code: 'tool.output_invalid' } as never],
    ['answers nothing at all', () => undefined as never, { code: 'tool.output_invalid' } as never],
    ['answers a list', async () => [] as never, { code: 'tool.output_invalid' } as never],
    ['answers bytes', async () => output(Buffer.from('x')), { code: 'tool.output_invalid' } as never],
    ['has no content', async () => ({ sources: [] }) as never, { code: 'tool.output_invalid' } as never],
    ['has odd sources', async () => output('', { sources: 'none' }), { code: 'tool.output_invalid' } as never],
    [
      'has an unknown source',
      async () => output('', { sources: [{ type: 'x' }] }),
      { code: 'tool.output_invalid' } as never,
    ],
    ['is over-confident', async () => output('', { confidence: 2 }), { code: 'tool.output_invalid' } as never],
    [
      'hides a trap in its output',
      async () =>
        ({
          get content(): string {
            throw new Error('trap');
          },
        }) as never,
      { code: 'tool.failed' } as never,
    ],
  ])('%s', async (_, run, expected) => {
    const about = invocation();
    expect(await call(run, {}, about)).toMatchObject({ status: 'failed', ...expected });
    expect(types(about.events)).toEqual(['tool.started', 'tool.failed']);
    expect(JSON.stringify(about.events)).not.toMatch(/secret|SELECT/);
  });

  it('says which tool failed and why, in the documented words', async () => {
    const about = invocation();
    await call(() => Promise.reject(new ToolFailure('tool.failed', 'no answer')), {}, about);
    expect(about.events[1]).toMatchObject({ code: 'tool.failed', message: '❌ Tool failed: fake - no answer' });
  });

  it('tells the tokens of all its tries, of its fallback too, and so does one that works in the end', async () => {
    const spent = (total_tokens: number) => ({ prompt_tokens: total_tokens, completion_tokens: 0, total_tokens });
    const last = new AppError('upstream_bad_response', 'twice', { usage: spent(2) });
    const failures = [new ToolFailure('tool.failed', 'once', { retryable: true, usage: spent(1) }), last];
    const tries = (): Tool['run'] => {
      const left = [...failures];
      return () => Promise.reject(left.shift() ?? new Error('a try too many'));
    };
    expect(await call(tries(), { retries: 1 })).toMatchObject({ status: 'failed', retries: 1, usage: spent(3) });
    const fallback = { plugin: 'spare', config: {}, condition: 'on_error', threshold: 0 } as const;
    const spare = (run: Tool['run']) =>
      invokerOf(fakeTool(tries()), fakeTool(run, { name: 'spare' })).invoke(
        entry({ retries: 1, on_error: 'fallback', fallback }),
        INPUT,
        invocation(),
      );
    expect(await spare(() => Promise.reject(last))).toMatchObject({ status: 'failed', usage: spent(5) });
    expect(await spare(async () => output('x', { usage: spent(4) }))).toMatchObject({ content: 'x', usage: spent(7) });
  });

  it('is a timeout where a server took longer than its share of the time', async () => {
    const late = () => Promise.reject(new AppError('upstream_timeout', 'the server did not answer in time'));
    const failed = { status: 'failed', code: 'tool.timeout', message: 'the server did not answer in time' };
    expect(await call(late, { retries: 0 })).toMatchObject(failed);
  });

  it('is a tool that does not exist', async () => {
    expect(await call(async () => output(''), { plugin: 'constructor' })).toMatchObject({
      code: 'tool.unknown',
      message: 'there is no tool named constructor',
    });
  });

  it('is a config that its schema refuses, and the tool is not asked', async () => {
    const run = jest.fn(async () => output(''));
    const tool = fakeTool(run, { config_schema: { type: 'object', properties: { top_k: { type: 'integer' } } } });
    const outcome = await invokerOf(tool).invoke(entry({ config: { top_k: 'many' } }), INPUT, invocation());
    expect(outcome).toMatchObject({ code: 'tool.config_invalid', message: 'top_k must be of type integer' });
    expect(run).not.toHaveBeenCalled();
  });
});

describe('the log line of a call that fails', () => {
  let warn: jest.SpyInstance;
  beforeEach(() => (warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation()));
  afterEach(() => warn.mockRestore());

  const QUESTION = {
    query: 'my private question',
    messages: [{ role: 'user', content: 'my private question' }] as const,
  };
  const failing = (error: Error, about = invocation()) =>
    invokerOf(fakeTool(() => Promise.reject(error))).invoke(
      entry({ index: 2, config: { note: 'private config' }, retries: 1 }),
      QUESTION,
      about,
    );
  const LINE = {
    msg: 'tool failed',
    run_id: '0195f2a0-0000-7000-8000-000000000004',
    organization_id: OWNER.organizationId,
    assistant_id: 1,
    index: 2,
    tool: 'fake',
    placeholder: '1_context',
    code: 'tool.failed',
    duration_ms: expect.any(Number),
  };

  it('is one, after the last try, with ids, names and numbers', async () => {
    await failing(new AppError('upstream_error', 'sk-secret refused my private question'));
    expect(warn.mock.calls).toEqual([[{ ...LINE, cause: 'upstream_error', retries: 1 }]]);
  });

  it('has the frames of an unexpected error and neither its message, the question nor the config', async () => {
    await failing(new TypeError('sk-secret of my private question'));
    const trace = expect.stringMatching(/^TypeError at /);
    expect(warn.mock.calls).toEqual([[{ ...LINE, cause: 'TypeError', retries: 0, trace }]]);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/sk-secret|private/);
  });

  it('is absent when the run was cancelled', async () => {
    await failing(new Error('late'), invocation({ scope: new CallScope(AbortSignal.abort()) }));
    expect(warn).not.toHaveBeenCalled();
  });
});

describe('time', () => {
  const hang = (): Promise<never> => new Promise(() => undefined);

  it('ends a tool that ignores its signal', async () => {
    let signal: AbortSignal | undefined;
    const outcome = await call(
      (_, __, context) => {
        signal = context.signal;
        return hang();
      },
      { timeout_ms: 20 },
    );
    expect(outcome).toMatchObject({ code: 'tool.timeout', message: 'no answer within 20 ms' });
    expect(signal?.aborted).toBe(true);
  });

  it('has the time that the tool asks for where the entry names none', async () => {
    const tool: Tool = { ...fakeTool(() => new Promise(() => undefined)), timeoutMs: 10 };
    const within = async (more: Parameters<typeof entry>[0]) =>
      invokerOf(tool).invoke(entry(more), INPUT, invocation());
    expect(await within({})).toMatchObject({ code: 'tool.timeout', message: 'no answer within 10 ms' });
    expect(await within({ timeout_ms: 15 })).toMatchObject({ message: 'no answer within 15 ms' });
  });

  it('ends at once when the run is aborted, and swallows what the tool still does', async () => {
    const controller = new AbortController();
    const running = call(
      (_, __, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
      {},
      invocation({ scope: new CallScope(controller.signal) }),
    );
    controller.abort();
    expect(await running).toMatchObject({ code: 'tool.cancelled', message: 'cancelled' });
  });

  it('leaves nothing behind, neither in time nor in its scope', async () => {
    const scope = new CallScope(new AbortController().signal);
    const added = jest.spyOn(scope, 'add');
    const removed = jest.spyOn(scope, 'delete');
    const cleared = jest.spyOn(global, 'clearTimeout');
    await call(async () => output(''), {}, invocation({ scope }));
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect(cleared).toHaveBeenCalledTimes(1);
    cleared.mockRestore();
  });
});

describe('size', () => {
  it('cuts 10 MB to the common limit and says so', async () => {
    const outcome = await call(async () => output('x'.repeat(10_000_000)));
    expect(outcome).toMatchObject({
      content: 'x'.repeat(OUTPUT_LIMIT),
      truncated: true,
      warnings: ['the content was cut from 10000000 to 50000 characters'],
    });
  });

  it('lets a tool have a limit of its own, and never splits a surrogate pair', async () => {
    const tool: Tool = { ...fakeTool(async () => output('ab😀cd')), outputLimit: () => 3 };
    expect(await invokerOf(tool).invoke(entry(), INPUT, invocation())).toMatchObject({ content: 'ab' });
  });

  it('replaces what no database and no UTF-8 body can hold', async () => {
    expect(await call(async () => output('a\0b\ud800c😀'))).toMatchObject({ content: 'a\ufffdb\ufffdc😀' });
  });

  it('drops members of sources that the contract does not know', async () => {
    const source = { type: 'file', path: 'a.md', chars: 1, truncated: false, secret: 'x', n: 7 };
    expect(await call(async () => output('', { sources: [source] }))).toMatchObject({
      sources: [{ type: 'file', path: 'a.md', chars: 1, truncated: false }],
    });
  });

  it('drops citations behind the cut', async () => {
    const sources = [{ type: 'rubric', rubric_id: 'r', title: 'R', format: 'markdown' }];
    const citations = [
      { at: 1, source: 0 },
      { at: 9, source: 0 },
    ];
    const tool: Tool = { ...fakeTool(async () => output('0123456789', { sources, citations })), outputLimit: () => 4 };
    expect(await invokerOf(tool).invoke(entry(), INPUT, invocation())).toMatchObject({
      citations: [{ at: 1, source: 0 }],
    });
    expect(await call(async () => output('x', { sources, citations: [{ at: 0, source: 5 }] }))).toMatchObject({
      code: 'tool.output_invalid',
    });
  });
});

describe('any tool whatever', () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const shaped = fc.record(
    {
      content: fc.oneof(fc.string({ unit: 'binary' }), anything),
      sources: anything,
      confidence: anything,
      citations: anything,
      warnings: anything,
    },
    { requiredKeys: [] },
  );
  const behaviour = fc.oneof(
    anything.map(
      (value): Tool['run'] =>
        () =>
          value as never,
    ),
    shaped.map(
      (value): Tool['run'] =>
        async () =>
          value as never,
    ),
    anything.map(
      (value): Tool['run'] =>
        () =>
          rejectWith(value),
    ),
    anything.map((value): Tool['run'] => () => {
      throw value;
    }),
    fc.constant<Tool['run']>(() => new Promise(() => undefined)),
    fc.constant<Tool['run']>(
      () =>
        ({
          then: () => {
            throw new Error('thenable');
          },
        }) as never,
    ),
  );

  it('yields exactly one outcome of the contract, one start and one end', async () => {
    await fc.assert(
      fc.asyncProperty(behaviour, async (run) => {
        const about = invocation();
        const outcome = await call(run, { timeout_ms: 5 }, about);
        if (outcome.status === 'completed') {
          expect(typeof outcome.content).toBe('string');
          expect(outcome.content).toBe(Buffer.from(outcome.content, 'utf8').toString('utf8'));
          expect(() => JSON.stringify(outcome)).not.toThrow();
        } else {
          expect(outcome.status).toBe('failed');
          expect(TOOL_FAILURE_CODES).toContain(outcome.status === 'failed' && outcome.code);
        }
        expect(types(about.events)).toEqual(['tool.started', `tool.${outcome.status}`]);
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});

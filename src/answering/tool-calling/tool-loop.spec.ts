import type { Caller, ChatMessage, FunctionCall, RunEvent } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import type { EchoedMembers, ModelRequest } from '../../connectors';
import type { Config } from '../../infrastructure/config';
import { RunBudget } from '../../runs';
import {
  FunctionInvoker,
  type FunctionOutcome,
  FunctionSet,
  type OfferedFunction,
  ToolFailure,
  parsedArguments,
} from '../../tools';
import { type RoundAnswer, ToolLoop } from './tool-loop.service';

Logger.overrideLogger(false);

const config = {
  tools: { defaultTimeoutMs: 40, parallelLimit: 3, maxRounds: 5, runTimeoutMs: 60_000, runTokens: 1_000 },
} as Config;

type Behaviour = 'answers' | 'throws' | 'hangs' | 'returns rubbish' | 'throws nothing';
const BEHAVIOURS: readonly Behaviour[] = ['answers', 'throws', 'hangs', 'returns rubbish', 'throws nothing'];

function behave(behaviour: Behaviour, args: unknown): Promise<any> {
  if (behaviour === 'answers') return Promise.resolve({ content: JSON.stringify(args) });
  if (behaviour === 'throws') return Promise.reject(new Error('secret inside'));
  if (behaviour === 'hangs') return new Promise(() => undefined);
  if (behaviour === 'returns rubbish') return Promise.resolve(7);
  const nothing = undefined as unknown as Error;
  return Promise.reject(nothing);
}

function offered(name: string, onCall: (args: any) => void = () => undefined): OfferedFunction {
  return {
    declaration: { name, description: '', parameters: { type: 'object' } },
    config: {},
    check: (args) => (args['bad'] === true ? 'bad must not be' : null),
    plugin: {
      definition: { name: 'scripted' } as never,
      offer: () => Promise.resolve([]),
      call: (_, args) => {
        onCall(args);
        return behave((name as Behaviour) ?? 'answers', args);
      },
    },
  };
}

interface Playing {
  readonly rounds: readonly (readonly FunctionCall[])[];
  readonly functions: FunctionSet;
  readonly abortIn?: number;
  readonly tokens?: number;
  readonly echoed?: EchoedMembers;
}

const call = (id: string, name: string, args = '{}'): FunctionCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** Plays a model that asks for the given calls, round by round, and then answers. */
async function play({ rounds, functions, abortIn, tokens = 1_000, echoed }: Playing) {
  const messages: ChatMessage[] = [{ role: 'user', content: 'Go' }];
  const requests: ModelRequest[] = [];
  const events: RunEvent[] = [];
  const outcomes: FunctionOutcome[] = [];
  const controller = new AbortController();
  if (abortIn !== undefined) setTimeout(() => controller.abort(new Error('gone')), abortIn);
  let error: unknown = null;
  await new ToolLoop(new FunctionInvoker(config), config)
    .run({
      request: { model: 'm', messages, params: { temperature: 0 } },
      functions,
      signal: controller.signal,
      budget: new RunBudget({ timeoutMs: 60_000, tokens, callsPerTarget: 8 }),
      messages,
      invocation: {
        runId: 'r',
        owner: { organizationId: 'o', userId: 'u' },
        caller: {} as Caller,
        assistantId: 1,
        connector: 'openai',
        assistants: null,
        emit: (event) => events.push(event),
      },
      ask: (request, round): Promise<RoundAnswer> => {
        requests.push(request);
        const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
        const calls = rounds[round - 1] ?? [];
        const finishReason = calls.length > 0 ? 'tool_calls' : 'stop';
        const text = calls.length > 0 ? '' : 'Done';
        return Promise.resolve({ text, calls, finishReason, usage, ...(echoed === undefined ? {} : { echoed }) });
      },
      onRound: (round) => outcomes.push(...round),
    })
    .catch((thrown: unknown) => (error = thrown));
  return { messages, requests, events, outcomes, error };
}

/** Every call has exactly one result, right behind its message and in its order. */
function expectValid(messages: readonly ChatMessage[]): void {
  const ids = new Set<string>();
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(message.tool_call_id).toBe(waiting.shift());
      expect(typeof message.content).toBe('string');
      continue;
    }
    expect(waiting).toEqual([]);
    waiting = (message.tool_calls ?? []).map(({ id }) => id);
    for (const id of waiting) {
      expect(ids.has(id)).toBe(false);
      ids.add(id);
    }
    for (const { function: called } of message.tool_calls ?? []) {
      expect(called.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(parsedArguments(called.arguments)).not.toBeNull();
    }
  }
  expect(waiting).toEqual([]);
}

describe('the loop model → functions → model', () => {
  const all = new FunctionSet(BEHAVIOURS.map((name) => offered(name)));

  it('every call has exactly one result in its order, whatever fails and whenever the run is aborted', async () => {
    const requested = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', ''),
      name: fc.constantFrom(...BEHAVIOURS, '__proto__', 'constructor', 'answersanswers', 'ne pas', ''),
      arguments: fc.constantFrom('', '{}', '{"bad":true}', '{"x":1}', '[1]', '{"x"', 'null', '{"__proto__":{"a":1}}'),
    });
    const round = fc.array(
      requested.map(({ id, name, arguments: text }) => call(id, name, text)),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { maxLength: 4 }),
        fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
        async (rounds, abortIn) => {
          const { messages, requests, events, error } = await play({ rounds, functions: all, abortIn });
          expectValid(messages);
          for (const request of requests) expectValid(request.messages);
          const started = events.filter(({ type }) => type === 'tool.started').length;
          const ended = events.filter(({ type }) => type === 'tool.completed' || type === 'tool.failed').length;
          expect(ended).toBe(started);
          if (abortIn === undefined) expect(error).toBeNull();
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it('an aborted run leaves cancelled results', async () => {
    const { messages, error } = await play({
      rounds: [[call('a', 'answers'), call('b', 'hangs')]],
      functions: all,
      abortIn: 5,
    });
    expect((error as Error).message).toBe('gone');
    expectValid(messages);
    expect(messages.slice(-2).map(({ content }) => content)).toEqual(['{}', 'Error: cancelled']);
  });

  it('tells the model nothing that an error of unknown origin says', async () => {
    const { messages } = await play({ rounds: [[call('a', 'throws')]], functions: all });
    expect(messages.at(-1)?.content).toBe('Error: the function failed');
  });

  it('runs no more calls at once than the limit', async () => {
    let running = 0;
    let most = 0;
    const slow: OfferedFunction = {
      ...offered('slow'),
      plugin: {
        ...offered('slow').plugin,
        call: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((done) => setTimeout(done, 5));
          running -= 1;
          return { content: 'ok' };
        },
      },
    };
    const calls = Array.from({ length: 8 }, (_, n) => call(`c${n}`, 'slow', `{"n":${n}}`));
    const { messages } = await play({ rounds: [calls], functions: new FunctionSet([slow]) });
    expect(most).toBe(3);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(8);
  });

  it('makes an equal call once, whatever the order of its arguments, and tries a failed one twice', async () => {
    const made: unknown[] = [];
    const functions = new FunctionSet([
      offered('answers', (args) => made.push(args)),
      offered('throws', () => made.push('x')),
    ]);
    const { outcomes } = await play({
      functions,
      rounds: [
        [call('a', 'answers', '{"x":1,"y":2}'), call('b', 'answers', '{"y":2,"x":1}')],
        [call('c', 'answers', '{ "x": 1, "y": 2 }'), call('d', 'throws')],
        [call('e', 'throws'), call('f', 'throws')],
      ],
    });
    expect(made).toEqual([{ x: 1, y: 2 }, 'x', 'x']);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
      'failed',
      'failed',
    ]);
  });

  it('says of a repeated denial what it said of the first, and nothing else', async () => {
    const denied: OfferedFunction = {
      ...offered('denied'),
      plugin: {
        ...offered('denied').plugin,
        call: () => Promise.reject(new ToolFailure('tool.unavailable', 'tool_unavailable')),
      },
    };
    const rounds = [[call('a', 'denied')], [call('b', 'denied')], [call('c', 'denied')]];
    const { outcomes } = await play({ rounds, functions: new FunctionSet([denied]) });
    expect(outcomes.map(({ content }) => content)).toEqual(Array(3).fill('tool_unavailable'));
  });

  it('calls one function at most eight times in a run', async () => {
    const calls = Array.from({ length: 9 }, (_, n) => call(`c${n}`, 'answers', `{"n":${n}}`));
    const { outcomes } = await play({ rounds: [calls], functions: all });
    expect(outcomes.at(-1)).toMatchObject({ status: 'failed', code: 'tool.limit' });
    expect(outcomes.filter(({ status }) => status === 'completed')).toHaveLength(8);
  });

  it('ends with tool_loop.limit in the last round, and when the tokens are spent', async () => {
    const rounds = Array.from({ length: 9 }, (_, n) => [call('a', 'answers', `{"n":${n}}`)]);
    const endless = await play({ rounds, functions: all });
    expect(endless.error).toMatchObject({ code: 'tool_loop.limit' });
    expect(endless.requests).toHaveLength(5);
    const costly = await play({ rounds, functions: all, tokens: 20 });
    expect(costly.error).toMatchObject({ code: 'tool_loop.limit' });
    expect(costly.requests).toHaveLength(2);
  });

  it('gives the vendor back what it demands with its calls', async () => {
    const extra = { google: { thought_signature: 'c2ln' } };
    const signed = { ...call('0', 'answers', '{"x":1}'), extra_content: extra };
    const { requests } = await play({
      rounds: [[signed, call('b', 'answers')], [{ ...signed, function: { name: 'answers', arguments: '{"x":2}' } }]],
      functions: all,
      echoed: { reasoning_content: '' },
    });
    const turns = requests[2]?.messages.filter(({ role }) => role === 'assistant') ?? [];
    expect(turns.map((turn) => turn['reasoning_content'])).toEqual(['', '']);
    expect(turns.map(({ tool_calls: calls }) => calls?.map((each) => each.extra_content))).toEqual([
      [extra, undefined],
      [extra],
    ]);
    expect(turns[0]?.tool_calls?.[1]).not.toHaveProperty('extra_content');
  });

  it('gives a vendor that demands nothing nothing beyond the calls', async () => {
    const { requests } = await play({ rounds: [[call('a', 'answers')]], functions: all });
    expect(Object.keys(requests[1]?.messages[1] ?? {})).toEqual(['role', 'content', 'tool_calls']);
  });

  it('cuts thoughts and leaves out signatures that no vendor needs so long', async () => {
    const huge = { google: { thought_signature: 'x'.repeat(300_000) } };
    const { requests } = await play({
      rounds: [[{ ...call('a', 'answers'), extra_content: huge }]],
      functions: all,
      echoed: { reasoning_content: 'x'.repeat(2_000_000), extra_content: huge },
    });
    const turn = requests[1]?.messages[1];
    expect(turn?.['reasoning_content']).toHaveLength(500_000);
    expect(turn).not.toHaveProperty('extra_content');
    expect(turn?.tool_calls?.[0]).not.toHaveProperty('extra_content');
  });

  it('offers the same functions in every round beside the caller’s parameters', async () => {
    const { requests } = await play({ rounds: [[call('a', 'answers')]], functions: all });
    for (const { params } of requests) {
      expect(params['temperature']).toBe(0);
      expect((params['tools'] as unknown[]).length).toBe(BEHAVIOURS.length);
    }
  });
});

import { AppError } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { RunBudget } from '../runs';
import { CallScope, type FunctionPlugin, ToolFailure } from './contract';
import { FunctionInvoker, type FunctionInvocation } from './function-invoker';
import type { OfferedFunction } from './function-offers.service';
import { CALLER, OWNER, TOOL_CONFIG } from './testing/call';

const offeredOf = (call: FunctionPlugin['call']): OfferedFunction => ({
  declaration: { name: 'f', description: '', parameters: { type: 'object' } },
  config: { note: 'private config' },
  check: () => null,
  plugin: { definition: { name: 'p' } as never, offer: async () => [], call },
});

const invocationOf = (budget: RunBudget, signal: AbortSignal = new AbortController().signal): FunctionInvocation => ({
  scope: new CallScope(signal),
  budget,
  emit: () => undefined,
  runId: 'r',
  owner: OWNER,
  caller: CALLER,
  assistantId: 1,
  connector: 'auto',
  assistants: null,
});

describe('a call of a function', () => {
  it('is not made when the run has spent its tokens', async () => {
    const call = jest.fn(async () => ({ content: 'made' }));
    const offered = offeredOf(call);
    const budget = new RunBudget({ timeoutMs: 1_000, tokens: 10, callsPerTarget: 8 });
    const invocation = invocationOf(budget);
    const invoke = (index: number) =>
      new FunctionInvoker(TOOL_CONFIG).invoke(
        { index, id: `c${index}`, round: 1, name: 'f', arguments: '{}' },
        offered,
        invocation,
      );
    expect(await invoke(0)).toMatchObject({ status: 'completed' });
    budget.spend({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 });
    expect(await invoke(1)).toMatchObject({ status: 'failed', code: 'tool.limit' });
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('that ends late says so, whether its own time or that of a server it asks was over', async () => {
    const late = async (error: Error) => {
      const offered = offeredOf(() => Promise.reject(error));
      const asked = { index: 0, id: 'c0', round: 1, name: 'f', arguments: '{}' };
      const budget = new RunBudget({ timeoutMs: 1_000, tokens: 10, callsPerTarget: 8 });
      const emit = jest.fn();
      const outcome = await new FunctionInvoker(TOOL_CONFIG).invoke(asked, offered, { ...invocationOf(budget), emit });
      expect(emit).toHaveBeenLastCalledWith(expect.objectContaining({ type: 'tool.failed', code: 'tool.timeout' }));
      return outcome;
    };
    const message = 'the function took longer than it may';
    const told = { code: 'tool.timeout', message, content: `Error: ${message}` };
    expect(await late(new AppError('upstream_timeout', 'do as the server says'))).toMatchObject(told);
    const own = new ToolFailure('tool.timeout', 'no answer within 20 ms');
    expect(await late(own)).toMatchObject({ code: 'tool.timeout', content: 'Error: no answer within 20 ms' });
  });
});

describe('the log line of a function that fails', () => {
  let warn: jest.SpyInstance;
  beforeEach(() => (warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation()));
  afterEach(() => warn.mockRestore());

  const failing = (error: Error, signal?: AbortSignal) =>
    new FunctionInvoker(TOOL_CONFIG).invoke(
      { index: 3, id: 'c3', round: 1, name: 'f', arguments: '{"q":"my private question"}' },
      offeredOf(() => Promise.reject(error)),
      invocationOf(new RunBudget({ timeoutMs: 1_000, tokens: 10, callsPerTarget: 8 }), signal),
    );
  const LINE = {
    msg: 'function failed',
    run_id: 'r',
    organization_id: OWNER.organizationId,
    assistant_id: 1,
    index: 3,
    tool: 'p',
    function: 'f',
    duration_ms: expect.any(Number),
    retries: 0,
  };

  it('has its code, ids, names and numbers', async () => {
    await failing(new ToolFailure('tool.inaccessible', 'sk-secret of my private question'));
    expect(warn.mock.calls).toEqual([[{ ...LINE, code: 'tool.inaccessible' }]]);
  });

  it('has the frames of an unexpected error and neither its message, the arguments nor the config', async () => {
    await failing(new TypeError('sk-secret of my private question'));
    const trace = expect.stringMatching(/^TypeError at /);
    expect(warn.mock.calls).toEqual([[{ ...LINE, code: 'tool.failed', cause: 'TypeError', trace }]]);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/sk-secret|private/);
  });

  it('is absent when the run was cancelled', async () => {
    await failing(new Error('late'), AbortSignal.abort());
    expect(warn).not.toHaveBeenCalled();
  });
});

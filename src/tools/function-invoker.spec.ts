import { RunBudget } from '../runs';
import { CallScope } from './contract';
import { FunctionInvoker, type FunctionInvocation } from './function-invoker';
import type { OfferedFunction } from './function-set';
import { CALLER, OWNER, TOOL_CONFIG } from './testing/call';

describe('a call of a function', () => {
  it('is not made when the run has spent its tokens', async () => {
    const call = jest.fn(async () => ({ content: 'made' }));
    const offered: OfferedFunction = {
      declaration: { name: 'f', description: '', parameters: { type: 'object' } },
      config: {},
      check: () => null,
      plugin: { definition: { name: 'p' } as never, offer: async () => [], call },
    };
    const budget = new RunBudget({ timeoutMs: 1_000, tokens: 10, callsPerTarget: 8 });
    const invocation: FunctionInvocation = {
      scope: new CallScope(new AbortController().signal),
      budget,
      emit: () => undefined,
      runId: 'r',
      owner: OWNER,
      caller: CALLER,
      assistantId: 1,
      connector: 'auto',
      assistants: null,
    };
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
});

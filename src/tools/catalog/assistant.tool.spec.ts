import type { AssistantAbility, Tool } from '../contract';
import { ToolFailure } from '../contract';
import { entry, invocation, invokerOf } from '../testing/call';
import { AssistantTool } from './assistant.tool';

const tool = (): Tool => new AssistantTool();
const reply = { text: 'forty-two', sources: [], usage: null };
const ability = (run: AssistantAbility['run']): AssistantAbility => ({ run, offer: async () => null });
const call = (config: Record<string, unknown>, assistants: AssistantAbility | null, query = 'why?') =>
  invokerOf(tool()).invoke(
    entry({ plugin: 'assistant', placeholder: '1_tool_result', config }),
    { query, messages: [] },
    invocation({ assistants }),
  );

describe('the pipeline tool assistant', () => {
  it('puts the answer of the other assistant into the slot', async () => {
    const run = jest.fn(async () => reply);
    expect(await call({ assistant_id: 7 }, ability(run))).toMatchObject({ status: 'completed', content: 'forty-two' });
    expect(run).toHaveBeenCalledWith(7, 'why?', expect.any(AbortSignal));
  });

  it('says of a refusal that it is unavailable, and nothing else', async () => {
    const refusing = ability(() => Promise.reject(new ToolFailure('tool.unavailable', 'tool_unavailable')));
    const refused = { status: 'failed', code: 'tool.unavailable', message: 'tool_unavailable' };
    expect(await call({ assistant_id: 7 }, refusing)).toMatchObject(refused);
    expect(await call({ assistant_id: 7 }, null)).toMatchObject(refused);
  });

  it('asks nobody an empty question, and nobody when nobody is chosen', async () => {
    const run = jest.fn(async () => reply);
    expect(await call({ assistant_id: 7 }, ability(run), '  ')).toMatchObject({ status: 'completed', content: '' });
    expect(await call({}, ability(run))).toMatchObject({ status: 'failed', code: 'tool.config_incomplete' });
    expect(run).not.toHaveBeenCalled();
  });

  it('refuses configs that name no assistant', async () => {
    for (const assistant_id of ['7', 0, 1.5, 2 ** 31]) {
      expect(await call({ assistant_id }, null)).toMatchObject({ code: 'tool.config_invalid' });
    }
  });
});

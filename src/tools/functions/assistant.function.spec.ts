import { type AssistantAbility, type FunctionContext, ToolFailure } from '../contract';
import { FunctionCatalogue } from '../tool-catalogue';
import { CALLER, OWNER } from '../testing/call';
import { AssistantFunction } from './assistant.function';

const plugin = new AssistantFunction();
const CONFIG = { assistant_id: 7, name: null, description: null };

function context(assistants: AssistantAbility | null): FunctionContext {
  const { signal } = new AbortController();
  const progress = (): undefined => undefined;
  return { signal, owner: OWNER, caller: CALLER, assistantId: 1, assistants, runId: 'r', connector: 'auto', progress };
}

const answering: AssistantAbility = {
  offer: async (id) => (id === 7 ? { name: 'Tutor', description: 'Knows it.' } : null),
  run: async (_, query) => ({ text: `answer to ${query}`, sources: [], usage: null }),
};

describe('the function assistant', () => {
  it('is offered under the id of its target, with a question as the required argument', async () => {
    const [declaration, ...rest] = await plugin.offer(CONFIG, context(answering));
    expect(rest).toEqual([]);
    expect(declaration).toMatchObject({
      name: 'call_assistant_7',
      description: 'Asks the assistant "Tutor". Knows it.',
      parameters: { required: ['query'], additionalProperties: false },
    });
  });

  it('carries the label and description of the entry where there are any', async () => {
    const config = { ...CONFIG, name: 'Expert', description: 'Ask it about optics.' };
    const [declaration] = await plugin.offer(config, context(answering));
    expect(declaration?.description).toBe('Asks the assistant "Expert". Ask it about optics.');
  });

  it('is not offered when its target is not, and never inside a nested run', async () => {
    expect(await plugin.offer({ ...CONFIG, assistant_id: 8 }, context(answering))).toEqual([]);
    expect(await plugin.offer({ ...CONFIG, assistant_id: null }, context(answering))).toEqual([]);
    expect(await plugin.offer(CONFIG, context(null))).toEqual([]);
  });

  it('answers with what the target said; the target of the config is asked, whatever the arguments say', async () => {
    const run = jest.spyOn(answering, 'run');
    const args = { query: 'why?', assistant_id: 99 };
    expect(await plugin.call('call_assistant_7', args, CONFIG, context(answering))).toEqual({
      content: 'answer to why?',
      sources: [],
    });
    expect(run).toHaveBeenCalledWith(7, 'why?', expect.any(AbortSignal));
  });

  it.each([{}, { query: '' }, { query: ' \n' }, { query: 7 }])('refuses the arguments %j', async (args) => {
    const refused = expect.objectContaining({ code: 'tool.arguments_invalid' });
    await expect(plugin.call('call_assistant_7', args, CONFIG, context(answering))).rejects.toEqual(refused);
  });

  it('is unavailable where no assistant may be reached', async () => {
    const refused = new ToolFailure('tool.unavailable', 'tool_unavailable');
    await expect(plugin.call('call_assistant_7', { query: 'x' }, CONFIG, context(null))).rejects.toEqual(refused);
  });

  it('has a schema that takes an id, and tells that none is chosen', async () => {
    const catalogue = new FunctionCatalogue([plugin]);
    expect(catalogue.validate('assistant', { assistant_id: 7, name: 'n', description: 'd' })).toEqual([]);
    expect(catalogue.validate('assistant', { assistant_id: '7' })).toEqual([
      expect.objectContaining({ path: 'assistant_id' }),
    ]);
    expect(await catalogue.gaps('assistant', {}, OWNER)).toEqual([
      expect.objectContaining({ path: 'assistant_id', code: 'tool.config_incomplete' }),
    ]);
  });
});

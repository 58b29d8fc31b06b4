import { notFound } from '@bellwether/kernel';
import type { Tool } from '../contract';
import { entry, invocation, invokerOf, OWNER } from '../testing/call';
import { describeTool } from '../testing/tool.conformance';
import { RubricRagTool } from './rubric-rag.tool';

const rubrics = {
  exists: async (_: unknown, id: string | number) => id === 'r1' || id === 42,
  contentVersion: async (_: unknown, id: string | number) => `${id} as it is`,
  forPrompt: async (_: unknown, id: string | number, format: 'markdown' | 'json', forEvaluation = false) => {
    if (id !== 'r1' && id !== 42) throw notFound('Rubric');
    return {
      text: `rubric ${id} as ${format}${forEvaluation ? ' for evaluation' : ''}`,
      source: { type: 'rubric' as const, rubric_id: String(id), title: 'Essay', format },
    };
  },
};
const tool = (): Tool => new RubricRagTool(rubrics);

describeTool('rubric_rag', {
  tool,
  working: { rubric_id: 'r1' },
  refused: [
    [{ rubric_id: 1.5 }, 'rubric_id'],
    [{ rubric_id: ['r1'] }, 'rubric_id'],
    [{ rubric_id: 'r1', format: 'html' }, 'format'],
    [{ rubric_id: 'r1', sources_in_prompt: 'some' }, 'sources_in_prompt'],
    [{ rubric_id: 'r1', for_evaluation: 'yes' }, 'for_evaluation'],
  ],
  incomplete: [
    [{}, 'tool.config_incomplete'],
    [{ rubric_id: null }, 'tool.config_incomplete'],
    [{ rubric_id: '' }, 'tool.config_incomplete'],
    [{ rubric_id: 'of-someone-else' }, 'tool.inaccessible'],
  ],
});

describe('rubric_rag', () => {
  it('renders the rubric as Markdown unless JSON is asked for, and names it as the source', async () => {
    const call = invocation();
    const config = { rubric_id: 42, format: 'json' };
    const outcome = await invokerOf(tool()).invoke(
      entry({ plugin: 'rubric_rag', config }),
      { query: '', messages: [] },
      call,
    );
    expect(outcome).toMatchObject({
      content: 'rubric 42 as json',
      sources: [{ type: 'rubric', rubric_id: '42', title: 'Essay', format: 'json' }],
    });
    expect(call.events.map((event) => event.type)).toEqual(['tool.started', 'tool.progress', 'tool.completed']);
    expect(call.events).toContainEqual(expect.objectContaining({ message: 'generating rubric 42' }));
  });

  it('asks for an evaluation where its config says so', async () => {
    const config = { rubric_id: 'r1', for_evaluation: true };
    const input = { query: '', messages: [] };
    const outcome = await invokerOf(tool()).invoke(entry({ plugin: 'rubric_rag', config }), input, invocation());
    expect(outcome).toMatchObject({ content: 'rubric r1 as markdown for evaluation' });
  });

  it.each([
    ['none', 'rubric r1 as markdown', []],
    ['numbered', '[] rubric r1 as markdown', [1]],
    [
      'lamb',
      'rubric r1 as markdown\n\n## Available Sources\n\n. [Essay]() (similarity: 0.000)\n',
      ['rubric r1 as markdown\n\n## Available Sources\n\n'.length],
    ],
  ])('shows its source as %s', async (sources_in_prompt, content, at) => {
    const config = { rubric_id: 'r1', sources_in_prompt };
    const input = { query: '', messages: [] };
    const outcome = await invokerOf(tool()).invoke(entry({ plugin: 'rubric_rag', config }), input, invocation());
    expect(outcome).toMatchObject({ content, citations: at.map((offset) => ({ at: offset, source: 0 })) });
  });

  it('is never cut', async () => {
    const text = 'x'.repeat(200_000);
    const forPrompt = async () => ({ ...(await rubrics.forPrompt(OWNER, 'r1', 'json')), text });
    const input = { query: '', messages: [] };
    const call = entry({ plugin: 'rubric_rag', config: { rubric_id: 'r1' } });
    const outcome = await invokerOf(new RubricRagTool({ ...rubrics, forPrompt })).invoke(call, input, invocation());
    expect(outcome).toMatchObject({ content: text, truncated: false });
  });

  it('is not rendered again while the rubric is as it was', async () => {
    const contentVersion = jest.fn(async () => 'as it was');
    const invoker = invokerOf(new RubricRagTool({ ...rubrics, contentVersion }));
    const ask = () =>
      invoker.invoke(
        entry({ plugin: 'rubric_rag', config: { rubric_id: 'r1' } }),
        { query: '', messages: [] },
        invocation(),
      );
    expect(await ask()).toMatchObject({ cached: false });
    expect(await ask()).toMatchObject({ cached: true, content: 'rubric r1 as markdown' });
    contentVersion.mockResolvedValue('changed');
    expect(await ask()).toMatchObject({ cached: false });
    expect(contentVersion).toHaveBeenCalledWith(OWNER, 'r1');
  });

  it('asks with the rights of the owner of the assistant', async () => {
    const exists = jest.fn(async () => true);
    const config = {
      rubric_id: 'r1',
      format: 'markdown',
      for_evaluation: false,
      sources_in_prompt: 'none',
    } as const;
    await new RubricRagTool({ ...rubrics, exists }).gaps(config, OWNER);
    expect(exists).toHaveBeenCalledWith(OWNER, 'r1');
  });
});

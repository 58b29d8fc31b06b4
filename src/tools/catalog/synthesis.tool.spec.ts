import { entry, invocation, invokerOf, OWNER } from '../testing/call';
import { ANSWER_USAGE, EARLIER, found, scriptedAnswers } from '../testing/scripted-answers';
import { describeTool } from '../testing/tool.conformance';
import { SynthesisTool } from './synthesis.tool';

const SAID = { text: 'Leaves are green [[1]][[3]], says [[7]] a [[0]] book.', confidence: 0.8 };

describeTool('synthesis', {
  tool: () => new SynthesisTool(scriptedAnswers(SAID)),
  working: {},
  refused: [
    [{ instructions: 3 }, 'instructions'],
    [{ material_tokens: 1 }, 'material_tokens'],
    [{ answer_tokens: 5_000 }, 'answer_tokens'],
  ],
  incomplete: [],
});

describe('synthesis', () => {
  const run = (
    answers = scriptedAnswers(SAID),
    config = {},
    results = EARLIER,
    about = invocation({ results: () => results }),
  ) =>
    invokerOf(new SynthesisTool(answers)).invoke(
      entry({ plugin: 'synthesis', placeholder: '3_synthesis', config }),
      { query: 'Why green?', messages: [] },
      about,
    );

  it('joins what earlier tools found, with their sources, and counts its tokens', async () => {
    expect(await run()).toMatchObject({
      content: 'Leaves are green [][], says  a  book.',
      citations: [
        { at: 18, source: 0 },
        { at: 20, source: 2 },
      ],
      sources: [{ path: 'file-1.md' }, { path: 'file-2.md' }, { path: 'file-3.md' }],
      confidence: 0.8,
      usage: ANSWER_USAGE,
      warnings: [],
    });
  });

  it('tells the model the question, the pieces and the author’s wish, and bounds its answer', async () => {
    const answers = scriptedAnswers(SAID);
    await run(answers, { instructions: 'Be brief.', answer_tokens: 100 });
    const [system, user] = answers.asked[0]?.messages ?? [];
    expect(system?.content).toMatch(/never instructions.*Be brief\.$/s);
    expect(user?.content).toContain('Why green?');
    expect(user?.content).toContain('{"piece":3,"text":"Grass [9] is a plant."}');
    expect(answers.asked[0]).toMatchObject({ name: 'synthesis', maxTokens: 150, connector: 'auto' });
  });

  it.each([
    ['joining 1 piece', new Map([found('1_context', 'Leaves are green.')])],
    ['joining 3 pieces', EARLIER],
  ])('tells that it is %s', async (text, results) => {
    const about = invocation({ results: () => results });
    await run(scriptedAnswers({ text: 'Green.', confidence: 1 }), {}, results, about);
    expect(about.events).toContainEqual(expect.objectContaining({ type: 'tool.progress', message: text }));
  });

  it('goes where the model is', async () => {
    const target = await new SynthesisTool(scriptedAnswers(SAID)).target(
      { instructions: '', material_tokens: 500, answer_tokens: 50 },
      { owner: OWNER, connector: 'auto' },
    );
    expect(target).toBe('models.example');
  });

  it('asks no model where there is nothing to join', async () => {
    const answers = scriptedAnswers(SAID);
    expect(await run(answers, {}, new Map())).toMatchObject({
      content: '',
      confidence: null,
      warnings: ['no earlier tool found anything to join'],
    });
    expect(answers.asked).toEqual([]);
  });
});

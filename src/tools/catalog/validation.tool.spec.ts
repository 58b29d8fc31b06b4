import type { JsonObject } from '@bellwether/kernel';
import { entry, invocation, invokerOf } from '../testing/call';
import { ANSWER_USAGE, EARLIER, found, scriptedAnswers } from '../testing/scripted-answers';
import { describeTool } from '../testing/tool.conformance';
import { ValidationTool } from './validation.tool';

const SAID = {
  claims: [
    { claim: 'Leaves are "green".', supported: true, pieces: [3, 1, 99] },
    { claim: 'The moon is cheese.', supported: false, pieces: [1] },
    { claim: 'Trust me.', supported: true, pieces: [42] },
    { claim: ' ', supported: true, pieces: [1] },
  ],
};

const WITH_SYNTHESIS = new Map([
  ...EARLIER,
  found('3_synthesis', 'Leaves are green. The moon is cheese.', { evidence: 'derived' }),
]);

describeTool('validation', {
  tool: () => new ValidationTool(scriptedAnswers(SAID)),
  working: { checks: 'synthesis' },
  refused: [
    [{ checks: 'everything' }, 'checks'],
    [{ material_tokens: 1 }, 'material_tokens'],
  ],
  incomplete: [],
});

describe('validation', () => {
  function validate(config: JsonObject, overrides: Parameters<typeof invocation>[0], answers = scriptedAnswers(SAID)) {
    return invokerOf(new ValidationTool(answers)).invoke(
      entry({ plugin: 'validation', placeholder: '4_validation', config }),
      { query: 'Why green?', messages: [] },
      invocation(overrides),
    );
  }

  it('says of each claim of the synthesis whether anything supports it, and what', async () => {
    const outcome = await validate({}, { results: () => WITH_SYNTHESIS });
    expect(outcome).toMatchObject({ confidence: 1 / 3, usage: ANSWER_USAGE, warnings: [] });
    if (outcome.status !== 'completed') throw new Error('failed');
    const { content, citations, sources } = outcome;
    const numbered = [...citations].reverse().reduce((text, { at, source }) => {
      return text.slice(0, at) + String(source + 1) + text.slice(at);
    }, content);
    expect(sources).toHaveLength(3);
    expect(JSON.parse(numbered)).toEqual({
      checked: 'synthesis',
      supported: 1,
      claims: [
        { claim: 'Leaves are "green".', supported: true, sources: [1, 3], results: ['1_context', '2_file'] },
        { claim: 'The moon is cheese.', supported: false, sources: [], results: [] },
        { claim: 'Trust me.', supported: false, sources: [], results: [] },
      ],
    });
  });

  it('checks the finished answer where it shall, with the numbers that the answer has', async () => {
    const answers = scriptedAnswers(SAID);
    const about = { results: () => EARLIER, answer: 'Leaves are green.' };
    const outcome = await validate({ checks: 'answer' }, about, answers);
    expect(outcome).toMatchObject({ sources: [], citations: [] });
    expect(JSON.parse(outcome.status === 'completed' ? outcome.content : '')).toMatchObject({
      checked: 'answer',
      claims: [{ sources: [1, 3] }, {}, {}],
    });
    expect(answers.asked[0]?.messages[1]?.content).toContain('\nLeaves are green.\n');
  });

  it('runs after the answer only where it checks the answer', () => {
    const tool = new ValidationTool(scriptedAnswers(SAID));
    expect(tool.phase({ checks: 'answer', material_tokens: 500 })).toBe('answer');
    expect(tool.phase({ checks: 'synthesis', material_tokens: 500 })).toBe('pipeline');
  });

  it.each([
    ['there is no synthesis', {}, { results: () => EARLIER }, 'there is no synthesis to check'],
    [
      'the answer is empty',
      { checks: 'answer' },
      { results: () => EARLIER, answer: ' ' },
      'there is no answer to check',
    ],
    ['nothing was found', { checks: 'answer' }, { answer: 'x' }, 'no earlier tool found anything to check against'],
  ])('asks no model where %s', async (_, config, overrides, warning) => {
    const answers = scriptedAnswers(SAID);
    expect(await validate(config, overrides, answers)).toMatchObject({
      content: '',
      confidence: null,
      warnings: [warning],
    });
    expect(answers.asked).toEqual([]);
  });

  it('has no opinion on a text without claims', async () => {
    const outcome = await validate({}, { results: () => WITH_SYNTHESIS }, scriptedAnswers({ claims: [] }));
    expect(outcome).toMatchObject({ content: '{"checked":"synthesis","supported":0,"claims":[]}', confidence: null });
  });

  it('says what it could not look at', async () => {
    const long = { results: () => EARLIER, answer: 'word '.repeat(6_000) };
    expect(await validate({ checks: 'answer' }, long)).toMatchObject({
      warnings: ['the end of the answer was not checked: it is too long'],
    });
  });
});

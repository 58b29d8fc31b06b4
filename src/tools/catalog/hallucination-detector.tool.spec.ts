import { entry, invocation, invokerOf } from '../testing/call';
import { ANSWER_USAGE, EARLIER, scriptedAnswers } from '../testing/scripted-answers';
import { describeTool } from '../testing/tool.conformance';
import { HallucinationDetectorTool, standsIn } from './hallucination-detector.tool';

const SAID = {
  unsupported: [
    { statement: 'The moon is\nmade of cheese.', kind: 'not_in_material', reason: 'No piece speaks of the moon.' },
    { statement: 'Napoleon lost at Waterloo.', kind: 'contradicted', reason: 'Invented.' },
  ],
  confidence: 0.4,
};

describeTool('hallucination_detector', {
  tool: () => new HallucinationDetectorTool(scriptedAnswers(SAID)),
  working: { checks: 'answer' },
  refused: [[{ checks: 'everything' }, 'checks']],
  incomplete: [],
});

describe('hallucination_detector', () => {
  it('lists what nothing supports, and nothing that the text does not say', async () => {
    const answers = scriptedAnswers(SAID);
    const outcome = await invokerOf(new HallucinationDetectorTool(answers)).invoke(
      entry({ plugin: 'hallucination-detector', placeholder: null, config: { checks: 'answer' } }),
      { query: 'Why green?', messages: [] },
      invocation({ results: () => EARLIER, answer: 'Leaves are green. The Moon is made of cheese!' }),
    );
    expect(outcome).toMatchObject({ status: 'completed', confidence: 0.4, usage: ANSWER_USAGE, sources: [] });
    expect(JSON.parse(outcome.status === 'completed' ? outcome.content : '')).toEqual({
      checked: 'answer',
      unsupported: [
        { statement: 'The moon is made of cheese.', kind: 'not_in_material', reason: 'No piece speaks of the moon.' },
      ],
      confidence: 0.4,
    });
  });

  it('runs after the answer only where it checks the answer', () => {
    const tool = new HallucinationDetectorTool(scriptedAnswers(SAID));
    expect(tool.phase({ checks: 'answer', material_tokens: 500 })).toBe('answer');
    expect(tool.phase({ checks: 'synthesis', material_tokens: 500 })).toBe('pipeline');
  });

  it.each([
    ['Light comes from the sun', true],
    ['the SUN gives light', true],
    ['Napoleon lost at Waterloo', false],
    ['…', false],
  ])('%j stands in the text: %s', (statement, expected) =>
    expect(standsIn('The light of the day comes from the sun.', statement)).toBe(expected),
  );
});

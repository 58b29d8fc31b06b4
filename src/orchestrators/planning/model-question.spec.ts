import { textOf } from '@bellwether/kernel';
import { decompose } from './decompose';
import { planHeuristically } from './heuristic-planner';
import { planMessages } from './model-planner.service';
import { scriptedFacts } from './testing/scripted-tools';

const query = 'Which secret criteria does /private/exams.md have, and what do the instructions say?';
const decomposition = decompose(query);
const tools = scriptedFacts(
  {
    plugin: 'hybrid_search',
    config: { collections: ['Roman history', '0196a3c4-9d5b-7c3e-8f2a-3b1c5d7e9f10'], file: 'secret' },
  },
  { plugin: 'single_file_rag', config: { file_path: '/private/exams.md', rubric_id: 'secret-criteria' } },
  {
    plugin: 'synthesis',
    config: { instructions: 'Never give away the secret', notes: ['secret', { deep: 'secret' }] },
  },
);

describe('what of a document a planner tells', () => {
  it('gives a model the names of knowledge bases and nothing else of the settings', () => {
    const [rules, data] = planMessages({
      query: 'Who?',
      earlier: '',
      decomposition: decompose('Who?'),
      tools,
      maxSteps: 5,
    });
    const asked = JSON.parse(textOf(data?.content ?? '')) as { tools: object[] };
    expect(asked.tools).toMatchObject([
      { placeholder: '1_context', description: 'Finds passages by meaning and by words.', searches: ['Roman history'] },
      { placeholder: '2_file', description: 'Puts the text of one of your files into the prompt.' },
      { placeholder: '3_synthesis', description: 'Joins what earlier tools found.' },
    ]);
    expect(JSON.stringify([rules, data])).not.toMatch(/secret|private|0196a3c4/);
  });

  it('says by rules why, without a word of settings or question', () => {
    const draft = planHeuristically({ query, earlier: '', tools, decomposition, maxSteps: 5, learned: () => 0 });
    expect(draft.steps.length).toBeGreaterThan(0);
    expect([draft.reasoning, ...draft.warnings].join(' ')).not.toMatch(/secret|private|exams|roman|criteria/i);
  });
});

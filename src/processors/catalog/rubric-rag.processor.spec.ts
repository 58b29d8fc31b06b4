import { notFound } from '@bellwether/kernel';
import { context, INPUT, settings } from '../testing/settings';
import { RubricRagProcessor } from './rubric-rag.processor';

const processor = new RubricRagProcessor({
  forPrompt: async (_, id, format, forEvaluation) => {
    if (id === 'foreign') throw notFound('Rubric');
    return {
      text: `${id} ${format}${forEvaluation === true ? ' for evaluation' : ''}`,
      source: { type: 'rubric', rubric_id: String(id), title: 'Essay', format },
    };
  },
});

describe('rubric_rag of classic assistants', () => {
  it.each([
    ['markdown', 'r1 markdown for evaluation'],
    ['json', 'r1 json for evaluation'],
    ['pdf', 'r1 markdown for evaluation'],
    ['', 'r1 markdown for evaluation'],
  ])('takes the format %j for %j', async (rubricFormat, content) => {
    const output = await processor.run(settings({ rubricId: 'r1', rubricFormat }), INPUT, context());
    expect(output.content).toBe(content);
    expect(output.sources).toHaveLength(1);
  });

  it.each([null, ''])('finds nothing without a rubric (%j), which is no failure', async (rubricId) => {
    expect(await processor.run(settings({ rubricId }), INPUT, context())).toMatchObject({ content: '', sources: [] });
  });

  it('rejects for a rubric out of reach instead of putting the error into the prompt', async () => {
    await expect(processor.run(settings({ rubricId: 'foreign' }), INPUT, context())).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

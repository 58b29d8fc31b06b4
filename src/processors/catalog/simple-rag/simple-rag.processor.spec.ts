import type { Passage, Retrieval, RetrievalQuery } from '../../../knowledge-bases';
import { context, INPUT, settings } from '../../testing/settings';
import { SimpleRagProcessor } from './simple-rag.processor';

const passage = (text: string, similarity: number): Passage => ({
  text,
  similarity,
  source: { type: 'knowledge_base', title: text, url: '', similarity, document: null },
  metadata: {},
});

function over(retrieval: Partial<Retrieval>) {
  const asked: RetrievalQuery[] = [];
  const retrieve = async (_: unknown, query: RetrievalQuery): Promise<Retrieval> => {
    asked.push(query);
    return { byCollection: [], passages: [], warnings: [], ...retrieval };
  };
  return { asked, processor: new SimpleRagProcessor({ retrieve }) };
}

describe('simple_rag of classic assistants', () => {
  it('joins the passages of each collection in turn, without ranking them against each other', async () => {
    const { asked, processor } = over({
      byCollection: [
        { collection: '1', passages: [passage('low', 0.1)] },
        { collection: '2', passages: [passage('high', 0.9), passage('low', 0.1)] },
      ],
    });
    const about = context();
    const output = await processor.run(settings({ collections: ['1', '2'], topK: 2 }), INPUT, about);
    expect(output.content).toBe('low\n\nhigh\n\nlow');
    expect(output.sources.map(({ type }) => type)).toHaveLength(3);
    expect(asked).toEqual([{ text: 'why?', collections: ['1', '2'], topK: 2, threshold: 0, signal: about.signal }]);
    expect(about.told).toEqual(['querying knowledge base 1', 'querying knowledge base 2']);
  });

  it('skips a dead collection and rejects when all are dead', async () => {
    const dead = { collection: '1', passages: [], error: 'no answer' };
    const alive = { collection: '2', passages: [passage('here', 1)] };
    const some = over({ byCollection: [dead, alive], warnings: ['1: no answer'] }).processor;
    const run = (processor: SimpleRagProcessor) =>
      processor.run(settings({ collections: ['1', '2'] }), INPUT, context());
    expect(await run(some)).toMatchObject({ content: 'here', warnings: ['1: no answer'] });
    await expect(run(over({ byCollection: [dead, dead] }).processor)).rejects.toMatchObject({ code: 'tool.failed' });
  });

  it('rejects without a knowledge base', async () => {
    await expect(over({}).processor.run(settings(), INPUT, context())).rejects.toMatchObject({
      code: 'tool.config_incomplete',
    });
  });
});

import { notFound } from '../../../kernel';
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
  return { asked, processor: new SimpleRagProcessor({ retrieve, inaccessible: async () => [] }) };
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

  it('goes on without a collection that is out of reach', async () => {
    const retrieve = async (_: unknown, { collections }: RetrievalQuery): Promise<Retrieval> => {
      if (collections.includes('foreign')) throw notFound('Knowledge base');
      return { byCollection: [{ collection: '1', passages: [passage('here', 1)] }], passages: [], warnings: [] };
    };
    const processor = new SimpleRagProcessor({ retrieve, inaccessible: async () => ['foreign'] });
    expect(await processor.run(settings({ collections: ['foreign', '1'] }), INPUT, context())).toMatchObject({
      content: 'here',
      warnings: ['knowledge base foreign is not accessible'],
    });
    await expect(processor.run(settings({ collections: ['foreign'] }), INPUT, context())).rejects.toMatchObject({
      code: 'tool.inaccessible',
    });
  });

  it('rejects without a knowledge base', async () => {
    await expect(over({}).processor.run(settings(), INPUT, context())).rejects.toMatchObject({
      code: 'tool.config_incomplete',
    });
  });
});

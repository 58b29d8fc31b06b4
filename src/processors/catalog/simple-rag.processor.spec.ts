import { notFound } from '@bellwether/kernel';
import { AS_ASKED, type Retrieval, type RetrievalQuery } from '../../knowledge-bases';
import { passage, retriever } from '../testing/retriever';
import { context, INPUT, settings } from '../testing/settings';
import { SimpleRagProcessor } from './simple-rag.processor';

describe('simple_rag of classic assistants', () => {
  it('joins the passages of each collection in turn, without ranking them against each other', async () => {
    const room = retriever([passage('low', 0.1), passage('high', 0.9), passage('low', 0.1)]);
    const processor = new SimpleRagProcessor(room);
    const about = context();
    const output = await processor.run(settings({ collections: ['1', '2'], topK: 2 }), INPUT, about);
    expect(output).toMatchObject({ content: 'low\n\nhigh\n\nlow', warnings: ['one collection is slow'] });
    expect(output.sources.map(({ type }) => type)).toHaveLength(3);
    expect(room.asked).toEqual([
      {
        text: 'why?',
        collections: ['1', '2'],
        topK: 2,
        threshold: 0,
        grouped: true,
        reader: about.caller,
        signal: about.signal,
        onSearch: expect.any(Function),
      },
    ]);
    expect(about.told).toEqual(['querying knowledge base 1', 'querying knowledge base 2']);
  });

  it('goes on without a collection that is out of reach', async () => {
    const retrieve = async (_: unknown, query: RetrievalQuery): Promise<Retrieval> => {
      if (query.collections.includes('foreign')) throw notFound('Knowledge base');
      const collections = [{ collection: '1', mode: 'keyword' as const }];
      return { collections, passages: [passage('here', 1)], question: AS_ASKED, warnings: [] };
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
    await expect(new SimpleRagProcessor(retriever([])).run(settings(), INPUT, context())).rejects.toMatchObject({
      code: 'tool.config_incomplete',
    });
  });
});

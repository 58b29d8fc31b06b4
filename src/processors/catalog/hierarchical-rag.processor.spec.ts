import { passage, retriever, rewriter } from '../testing/retriever';
import { context, INPUT, settings } from '../testing/settings';
import { HierarchicalRagProcessor } from './hierarchical-rag.processor';

describe('hierarchical_rag of classic assistants', () => {
  it('asks what the conversation leads to, collection after collection', async () => {
    const room = retriever([passage('low', 0.1), passage('high', 0.9)]);
    const processor = new HierarchicalRagProcessor(room, rewriter);
    const about = context();
    const output = await processor.run(settings({ collections: ['1', '2'], topK: 2 }), INPUT, about);
    expect(output).toMatchObject({
      content: 'low\n\nhigh',
      warnings: ['the model is slow', 'one collection is slow'],
    });
    expect(room.asked).toEqual([
      {
        text: '1 messages of run',
        collections: ['1', '2'],
        topK: 2,
        threshold: 0,
        grouped: true,
        parent: true,
        maxTokens: 12_000,
        reader: about.caller,
        signal: about.signal,
        onSearch: expect.any(Function),
      },
    ]);
  });

  it('rejects without a knowledge base, and asks no model', async () => {
    const silent = { rewrite: () => Promise.reject(new Error('asked')) };
    const processor = new HierarchicalRagProcessor(retriever([]), silent);
    await expect(processor.run(settings(), INPUT, context())).rejects.toMatchObject({ code: 'tool.config_incomplete' });
  });
});

import { AppError, notFound } from '@bellwether/kernel';
import { AS_ASKED, type Passage, type RetrievalQuery } from '../../knowledge-bases';
import { CALLER, OWNER } from '../testing/call';
import { callOnly, functionContext, offers, prepared } from '../testing/function-call';
import { describeFunction } from '../testing/function.conformance';
import { type KnowledgeBaseConfig, KnowledgeBaseFunction } from './knowledge-base.function';

const ID = '0195f2a0-0000-7000-8000-0000000000aa';
const LONG = 'a'.repeat(63);
const READABLE = new Set([ID, 'course-materials', '7', LONG, 'odd/ref']);

const passage: Passage = {
  text: 'Chlorophyll is green.',
  similarity: 0.9,
  metadata: {},
  source: { type: 'knowledge_base', title: 'Plants', url: '/s/1', similarity: 0.9, document: 'plants.pdf', page: 3 },
};

function scripted({ passages = [passage], fails }: { passages?: Passage[]; fails?: Error } = {}) {
  const asked: { owner: unknown; query: RetrievalQuery }[] = [];
  const retrieval = {
    retrieve: async (owner: unknown, query: RetrievalQuery) => {
      asked.push({ owner, query });
      if (fails !== undefined) throw fails;
      return { passages, collections: [], question: AS_ASKED, warnings: ['half of it'] };
    },
    inaccessible: async (_: unknown, refs: readonly string[]) => refs.filter((ref) => !READABLE.has(ref)),
  };
  const get = async (_: unknown, id: string): Promise<never> => {
    if (!READABLE.has(id)) throw notFound('Knowledge base');
    return { id, slug: 'biology', name: 'Biology', description: 'Cells and plants.' } as never;
  };
  return { asked, plugin: new KnowledgeBaseFunction(retrieval, { get }) };
}

describeFunction('knowledge_base', {
  plugin: () => scripted().plugin,
  working: { kb_id: 'course-materials' },
  refused: [
    [{ kb_id: 1.5 }, 'kb_id'],
    [{ kb_id: 'x', top_k: 0 }, 'top_k'],
    [{ kb_id: 'x', mode: 'telepathy' }, 'mode'],
  ],
  incomplete: [
    [{}, 'tool.config_incomplete'],
    [{ kb_id: ' ' }, 'tool.config_incomplete'],
    [{ kb_id: 'of-someone-else' }, 'tool.inaccessible'],
    [{ kb_id: '0195f2a0-0000-7000-8000-0000000000bb' }, 'tool.inaccessible'],
  ],
});

describe('knowledge_base', () => {
  it.each([
    [ID, 'query_kb_biology'],
    ['course-materials', 'query_kb_course-materials'],
    [7, 'query_kb_7'],
  ])('is called by the slug of %j', async (kb_id, name) => {
    expect(await offers(scripted().plugin, { kb_id })).toMatchObject([{ name }]);
  });

  it('has a name of its own where the slug is too long or holds other characters', async () => {
    const names = await Promise.all(
      [LONG, 'odd/ref'].map(async (kb_id) => (await offers(scripted().plugin, { kb_id }))[0]?.name),
    );
    expect(names).toEqual([
      expect.stringMatching(/^query_kb_a{46}_[0-9a-f]{8}$/),
      expect.stringMatching(/^query_kb_odd_ref_[0-9a-f]{8}$/),
    ]);
  });

  it("tells the model its owner's words, or those of the assistant's author", async () => {
    const { plugin } = scripted();
    const description = async (config: object) => (await offers(plugin, { kb_id: ID, ...config }))[0]?.description;
    expect(await description({})).toMatch(/"Biology".*Cells and plants\.$/);
    expect(await description({ name: 'Course', description: 'Week 1.' })).toMatch(/"Course".*Week 1\.$/);
  });

  it('searches with the rights of the owner, for the eyes of the caller, and names its sources', async () => {
    const { plugin, asked } = scripted();
    const output = await callOnly(plugin, { query: 'What is green?' }, { config: { kb_id: ID, top_k: 2 } });
    expect(output).toEqual({
      content: 'From "Plants", page 3:\nChlorophyll is green.',
      sources: [passage.source],
      warnings: ['half of it'],
    });
    expect(asked).toMatchObject([
      { owner: OWNER, query: { text: 'What is green?', collections: [ID], topK: 2, reader: CALLER, assistantId: 1 } },
    ]);
  });

  it('says so when nothing matches', async () => {
    const { plugin } = scripted({ passages: [] });
    expect(await callOnly(plugin, { query: 'x' }, { config: { kb_id: ID } })).toMatchObject({
      content: 'No passage of this knowledge base matches the query.',
      sources: [],
    });
  });

  it('is refused in neutral words when the right is gone between offer and call', async () => {
    const { plugin } = scripted({ fails: new AppError('not_found', `Knowledge base not found: ${ID}`) });
    const failure = await callOnly(plugin, { query: 'x' }, { config: { kb_id: ID } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'tool.unavailable' });
    expect(String(failure)).not.toContain(ID);
  });

  it('takes the knowledge base from its entry, whatever the arguments say', async () => {
    const { plugin, asked } = scripted();
    const config = prepared(plugin, { kb_id: 'course-materials' }) as KnowledgeBaseConfig;
    await plugin.call('query_kb_x', { query: 'q', kb_id: ID }, config, functionContext());
    expect(asked[0]?.query.collections).toEqual(['course-materials']);
  });
});

import { AppError, type ChatMessage, notFound, type Principal, type Source } from '@bellwether/kernel';
import {
  AS_ASKED,
  type Passage,
  type QuestionToRewrite,
  type Retrieval,
  type RetrievalQuery,
  type RewrittenQuestion,
} from '../../knowledge-bases';
import type { Tool, ToolOutcome } from '../contract';
import { CALLER, entry, invocation, invokerOf, OWNER } from '../testing/call';
import { describeTool } from '../testing/tool.conformance';
import { type SimpleRagConfig, SimpleRagTool } from './simple-rag.tool';

const passage = (text: string, similarity: number): Passage => ({
  text,
  similarity,
  source: { type: 'knowledge_base', title: `${text}.md`, url: `/${text}`, similarity, document: text },
  metadata: {},
});

const BIOLOGY = [passage('atp', 0.5), passage('leaf', 0.25)];
const PHYSICS = [passage('light', 0.75)];

const isForeign = (ref: string): boolean => ref.startsWith('foreign');

/** Retrieval that holds two knowledge bases and treats references as the real one does. */
function knowledgeBases() {
  const asked: RetrievalQuery[] = [];
  return {
    asked,
    inaccessible: async (_: Principal, refs: readonly string[]) => refs.filter(isForeign),
    unlisted: () => Promise.resolve([]),
    unmet: async (_: Principal, refs: readonly string[], mode: string) =>
      new Map(refs.filter((ref) => ref === 'words').map((ref) => [ref, `no ${mode} mode`])),
    languages: async () => ['en'],
    contentVersion: async () => 'as it is',
    readdress: (source: Source): Source => source,
    target: async () => null,
    retrieve: async (_: Principal, query: RetrievalQuery): Promise<Retrieval> => {
      asked.push(query);
      query.collections.forEach((collection) => query.onSearch?.(collection));
      if (query.collections.some(isForeign)) throw notFound('Knowledge base');
      if (query.collections.every((collection) => collection === 'dead')) {
        throw new AppError('upstream_error', 'No collection answered: Collection dead: no answer');
      }
      const answers = query.collections.map((collection) => {
        if (collection === 'dead') return { collection, passages: [], warnings: ['dead: no answer'] };
        return { collection, passages: collection === 'biology' ? BIOLOGY : PHYSICS, warnings: [] };
      });
      const passages = answers.flatMap((each) => each.passages);
      return {
        collections: answers.map(({ collection }) => ({ collection, mode: 'keyword' })),
        passages: query.grouped
          ? passages
          : [...passages].sort((a, b) => b.similarity - a.similarity).slice(0, query.topK),
        question: AS_ASKED,
        warnings: answers.flatMap(({ warnings }) => warnings),
      };
    },
  };
}

/** A rewriter that knows what the conversation is about. */
const rewriter = {
  rewrite: async ({ messages }: QuestionToRewrite): Promise<RewrittenQuestion> => ({
    text: `${messages.length} messages on chlorophyll`,
    rewritten: true,
    warnings: ['slow'],
  }),
};

const toolOver = (fake = knowledgeBases()): Tool => new SimpleRagTool(fake, rewriter);

it('says that a conversation holds no question', async () => {
  const outcome = await invokerOf(toolOver()).invoke(
    entry({ plugin: 'simple_rag', config: { collections: ['biology'] } }),
    { query: ' ', messages: [] },
    invocation(),
  );
  expect(outcome).toMatchObject({ warnings: ['the conversation holds no question to search for'] });
});

describeTool('simple_rag', {
  tool: () => toolOver(),
  working: { collections: ['biology'] },
  refused: [
    [{ collections: 'biology' }, 'collections'],
    [{ collections: ['biology', 3] }, 'collections[1]'],
    [{ collections: [''] }, 'collections[0]'],
    [{ collections: Array.from({ length: 21 }, String) }, 'collections'],
    [{ collections: [], top_k: 99 }, 'top_k'],
    [{ top_k: 2.5 }, 'top_k'],
    [{ threshold: -0.1 }, 'threshold'],
    [{ mode: 'magic' }, 'mode'],
    [{ sources_in_prompt: true }, 'sources_in_prompt'],
    [{ parent: 'yes' }, 'parent'],
    [{ max_tokens: 5 }, 'max_tokens'],
  ],
  incomplete: [
    [{}, 'tool.config_incomplete'],
    [{ collections: [] }, 'tool.config_incomplete'],
    [{ collections: ['foreign'] }, 'tool.inaccessible'],
  ],
});

describe('simple_rag', () => {
  const run = async (config: object, fake = knowledgeBases(), call = invocation()): Promise<ToolOutcome> =>
    invokerOf(toolOver(fake)).invoke(
      entry({ plugin: 'simple_rag', config: { collections: ['biology', 'physics'], ...config } }),
      { query: 'why is a leaf green?', messages: [] },
      call,
    );

  it('asks every collection once for the defaults and joins passages by similarity', async () => {
    const fake = knowledgeBases();
    const outcome = await run({ collections: ['biology', 'physics', 'biology'] }, fake);
    expect(outcome).toMatchObject({ content: 'light\n\natp\n\nleaf', citations: [] });
    expect(fake.asked).toEqual([
      {
        text: 'why is a leaf green?',
        collections: ['biology', 'physics'],
        topK: 3,
        threshold: 0,
        parent: false,
        maxTokens: 12_000,
        grouped: false,
        reader: CALLER,
        assistantId: 1,
        timeoutMs: expect.any(Number),
        signal: expect.any(AbortSignal),
        onSearch: expect.any(Function),
      },
    ]);
  });

  it('leaves room for run-wide numbers before each passage', async () => {
    expect(await run({ sources_in_prompt: 'numbered', top_k: 2 })).toMatchObject({
      content: '[] light\n\n[] atp',
      citations: [
        { at: 1, source: 0 },
        { at: 11, source: 1 },
      ],
      sources: [{ title: 'light.md' }, { title: 'atp.md' }],
    });
  });

  it('puts the classic block behind the passages of each collection in turn', async () => {
    expect(await run({ sources_in_prompt: 'lamb' })).toMatchObject({
      content:
        'atp\n\nleaf\n\nlight\n\n## Available Sources\n\n' +
        '. [atp.md](/atp) (similarity: 0.500)\n' +
        '. [leaf.md](/leaf) (similarity: 0.250)\n' +
        '. [light.md](/light) (similarity: 0.750)\n',
      sources: [{ title: 'atp.md' }, { title: 'leaf.md' }, { title: 'light.md' }],
    });
  });

  it('tells which knowledge base it queries', async () => {
    const call = invocation();
    await run({}, knowledgeBases(), call);
    const told = call.events.flatMap((event) => (event.type === 'tool.progress' ? [event.message] : []));
    expect(told).toEqual(['querying knowledge base biology', 'querying knowledge base physics']);
  });

  it.each([25_000, 600_000])('hands all of a timeout_ms of %i on to retrieval, with the signal', async (timeout_ms) => {
    jest.useFakeTimers();
    try {
      const fake = knowledgeBases();
      const wish = entry({ plugin: 'simple_rag', config: { collections: ['biology'] }, timeout_ms });
      await invokerOf(toolOver(fake)).invoke(wish, { query: 'why?', messages: [] }, invocation());
      expect(fake.asked).toMatchObject([{ timeoutMs: timeout_ms, signal: expect.any(AbortSignal) }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('reports a dead collection and goes on without it', async () => {
    expect(await run({ collections: ['biology', 'dead'] })).toMatchObject({
      content: 'atp\n\nleaf',
      warnings: ['dead: no answer'],
    });
  });

  it('fails when every collection is dead', async () => {
    expect(await run({ collections: ['dead'] })).toMatchObject({
      status: 'failed',
      code: 'tool.failed',
      message: 'No collection answered: Collection dead: no answer',
    });
  });

  it('goes on without a collection that is out of reach, and says so', async () => {
    const fake = knowledgeBases();
    expect(await run({ collections: ['foreign', 'biology'] }, fake)).toMatchObject({
      content: 'atp\n\nleaf',
      warnings: ['knowledge base foreign is not accessible'],
    });
    expect(fake.asked.at(-1)?.collections).toEqual(['biology']);
  });

  it('fails when every collection is out of reach', async () => {
    expect(await run({ collections: ['foreign', 'foreign-too'] })).toMatchObject({
      code: 'tool.inaccessible',
      message: 'knowledge base foreign is not accessible, knowledge base foreign-too is not accessible',
    });
  });

  it('asks what the rewriter made of the conversation where the config wants it', async () => {
    const fake = knowledgeBases();
    const outcome = await run({ rewrite_query: true, parent: true, mode: 'hybrid', max_tokens: 500 }, fake);
    expect(outcome).toMatchObject({ status: 'completed', warnings: ['slow'] });
    expect(fake.asked).toMatchObject([
      { text: '0 messages on chlorophyll', parent: true, mode: 'hybrid', maxTokens: 500 },
    ]);
  });

  const ask = (query: string, config: object, fake = knowledgeBases(), messages: readonly ChatMessage[] = []) =>
    invokerOf(toolOver(fake)).invoke(
      entry({ plugin: 'simple_rag', config: { collections: ['biology'], ...config } }),
      { query, messages },
      invocation(),
    );
  const turns: ChatMessage[] = [
    { role: 'user', content: 'what is chlorophyll?' },
    { role: 'assistant', content: 'A pigment.' },
    { role: 'user', content: 'is it green?' },
  ];

  it('searches for nothing where a message only greets or thanks', async () => {
    const fake = knowledgeBases();
    expect(await ask('Thanks, that was great!', {}, fake)).toMatchObject({ content: '', sources: [], warnings: [] });
    expect(fake.asked).toEqual([]);
    await ask('Thanks, that was great!', { sources_in_prompt: 'lamb' }, fake);
    expect(fake.asked).toHaveLength(1);
  });

  it.each([
    [{}, '3 messages on chlorophyll'],
    [{ rewrite_query: false }, 'is it green?'],
    [{ sources_in_prompt: 'lamb' }, 'is it green?'],
    [{ sources_in_prompt: 'lamb', rewrite_query: true }, '3 messages on chlorophyll'],
  ])('takes the conversation into account with %j', async (config, text) => {
    const fake = knowledgeBases();
    await ask('is it green?', config, fake, turns);
    expect(fake.asked).toMatchObject([{ text }]);
  });

  it('leaves the first question of a conversation as it is', async () => {
    const fake = knowledgeBases();
    await ask('what is chlorophyll?', {}, fake, turns.slice(0, 1));
    expect(fake.asked).toMatchObject([{ text: 'what is chlorophyll?' }]);
  });

  it('searches again in the language of the material, where a model words the question in it', async () => {
    const gap = { question: 'es', material: ['en'], bridge: null };
    const spanish = knowledgeBases();
    const tool = new SimpleRagTool(
      {
        ...spanish,
        retrieve: async (owner, query) => {
          const found = await spanish.retrieve(owner, query);
          const match = { strength: query.text === 'why green?' ? 0.9 : 0.1, weak: query.text !== 'why green?' };
          const languages = query.text === 'why green?' ? null : gap;
          return { ...found, question: { match, searchedFor: null, languages } };
        },
      },
      {
        rewrite: async ({ material = [] }) => ({
          text: 'why green?',
          rewritten: true,
          warnings: [],
          languages: { question: 'es', material, bridge: 'rewriter' },
        }),
      },
    );
    const call = invocation();
    const wish = entry({ plugin: 'simple_rag', config: { collections: ['biology'] } });
    const outcome = await invokerOf(tool).invoke(wish, { query: '¿por qué verde?', messages: [] }, call);
    expect(spanish.asked.map(({ text }) => text)).toEqual(['¿por qué verde?', 'why green?']);
    const search = { match: { strength: 0.9, weak: false }, languages: { ...gap, bridge: 'rewriter' } };
    expect(outcome).toMatchObject({ search, saysFit: true, query: 'why green?' });
    expect(call.events.at(-1)).toMatchObject({ type: 'tool.completed', search });
  });

  const gaps = (config: Partial<SimpleRagConfig>) =>
    new SimpleRagTool(knowledgeBases(), rewriter).gaps(
      {
        collections: [],
        top_k: 3,
        threshold: 0,
        rewrite_query: false,
        parent: false,
        max_tokens: 1000,
        sources_in_prompt: 'none',
        ...config,
      },
      OWNER,
    );

  it('names each collection that is out of reach at save', async () => {
    expect(await gaps({ collections: ['foreign', 'biology'] })).toEqual([
      { path: 'collections[0]', code: 'tool.inaccessible', message: 'knowledge base foreign is not accessible' },
    ]);
  });

  it('warns at save of each collection that cannot be searched in the mode wished for', async () => {
    expect(await gaps({ collections: ['biology', 'words', 'foreign'], mode: 'hybrid' })).toEqual([
      { path: 'collections[1]', code: 'tool.degraded', message: 'no hybrid mode' },
      { path: 'collections[2]', code: 'tool.inaccessible', message: 'knowledge base foreign is not accessible' },
    ]);
    expect(await gaps({ collections: ['words'] })).toEqual([]);
  });
});

import { AppError } from '@bellwether/kernel';
import type { Hit } from '../search/chunk.types';
import type { PassageRepository } from '../search/passage.repository';
import type { ResidentIndexes } from '../search/resident-indexes';
import type { VectorStore } from '../search/vector-store';
import type { KnowledgeBaseEntity } from '../storage/knowledge-base.entity';
import { OwnSearch, type QueryEmbedder } from './own-search';
import type { QuestionLanguages } from './question-languages';
import type { SpellingCorrector } from './question/spelling-corrector';

const base = (id: string, more: Partial<KnowledgeBaseEntity> = {}): KnowledgeBaseEntity =>
  ({
    id,
    name: id,
    language: 'en',
    languages: ['en'],
    indexVersion: 2,
    embedding: { provider: 'openai', model: 'small', dimensions: 2 },
    vectorEmbedding: { provider: 'openai', model: 'small', dimensions: 2 },
    vectorIndex: 7,
    hybridWeight: 0.5,
    ...more,
  }) as KnowledgeBaseEntity;

const wordsOnly = (id: string): KnowledgeBaseEntity =>
  base(id, { embedding: null, vectorEmbedding: null, vectorIndex: null, hybridWeight: null });

function over(embed: QueryEmbedder['embed'], lack: string | null = null) {
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const search: PassageRepository['search'] = (statement) => {
    statements.push(statement);
    return Promise.resolve([]);
  };
  const own = new OwnSearch(
    { search } as PassageRepository,
    { search: async () => null, versionOf: async () => '1' } as unknown as ResidentIndexes,
    { embed } as QueryEmbedder,
    { unavailable: lack, graphsOf: () => [] } as unknown as VectorStore,

    { correct: async () => [] } as unknown as SpellingCorrector,
    { detect: async () => null } as unknown as QuestionLanguages,
  );
  const plan = (bases: KnowledgeBaseEntity[], more: object = {}) =>
    own.plan('o', bases, { text: 'why?', topK: 3, threshold: 0, ...more });
  return { own, plan, statements };
}

const works: QueryEmbedder['embed'] = () => Promise.resolve([1, 0]);

describe('planning a question', () => {
  it('embeds it once per model', async () => {
    const asked: string[] = [];
    const { plan } = over((_organization, { model }) => {
      asked.push(model);
      return Promise.resolve([1, 0]);
    });
    const large = { provider: 'openai', model: 'large', dimensions: 2 };
    const bases = [base('a'), base('b'), base('c', { embedding: large, vectorEmbedding: large }), wordsOnly('d')];
    const { modes, vectors, warnings } = await plan(bases);
    expect(asked.sort()).toEqual(['large', 'small']);
    expect([...modes.values()]).toEqual(['hybrid', 'hybrid', 'hybrid', 'keyword']);
    expect(vectors.map(({ knowledgeBaseId, index }) => [knowledgeBaseId, index])).toEqual([
      ['a', 7],
      ['b', 7],
      ['c', 7],
    ]);
    expect(warnings).toEqual([]);
  });

  it('asks vectors that are built beside the old ones only when they are in force', async () => {
    const next = { provider: 'openai', model: 'next', dimensions: 3 };
    const { plan } = over((_organization, { model }) => Promise.resolve(model === 'small' ? [1, 0] : [1, 0, 0]));
    const { vectors } = await plan([base('a', { embedding: next })]);
    expect(vectors).toMatchObject([{ vector: [1, 0] }]);
  });

  it.each<[string, QueryEmbedder['embed'], string]>([
    [
      'a provider that is down',
      () => Promise.reject(new AppError('upstream_error', 'no answer')),
      'the question could not be embedded (no answer)',
    ],
    ['a defect', () => Promise.reject(new TypeError('secret')), 'the question could not be embedded'],
  ])('goes on in keyword mode after %s', async (_, embed, why) => {
    const { modes, vectors, warnings } = await over(embed).plan([base('a')]);
    expect([...modes.values()]).toEqual(['keyword']);
    expect(vectors).toEqual([]);
    expect(warnings).toEqual([`Knowledge base a: keyword mode ran instead of hybrid, ${why}`]);
  });

  it('cuts a question of 10,000 words, and says so', async () => {
    const { question, warnings } = await over(works).plan([base('a')], { text: 'because '.repeat(10_000) });
    expect(question.text).toHaveLength(8_000);
    expect(warnings).toEqual([expect.stringContaining('only its beginning was searched for')]);
  });

  it('ends with the run, which is no reason for another mode', async () => {
    const run = new AbortController();
    const { plan } = over(
      (_organization, _embedding, _text, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new AppError('cancelled', 'cancelled')));
          run.abort(new Error('gone'));
        }),
    );
    await expect(plan([base('a')], { signal: run.signal })).rejects.toThrow('gone');
  });

  it('asks no model where the database has no vectors', async () => {
    const { plan } = over(() => Promise.reject(new Error('asked')), 'the database server has no pgvector');
    const { modes, warnings } = await plan([base('a')]);
    expect([...modes.values()]).toEqual(['keyword']);
    expect(warnings).toEqual([
      'Knowledge base a: keyword mode ran instead of hybrid, the database server has no pgvector',
    ]);
  });
});

describe('searching', () => {
  it('is one statement over all knowledge bases, words counted over all that read words', async () => {
    const { own, plan, statements } = over(works);
    await own.search(await plan([base('a'), wordsOnly('b')]), 20);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.parameters[0]).toEqual(['a', 'b']);
    expect(statements[0]?.parameters[8]).toEqual(['a']);
  });

  it('reads no words in vector mode, and no vectors in keyword mode', async () => {
    const { own, plan, statements } = over(works);
    await own.search(await plan([base('a')], { mode: 'vector' }), 20);
    await own.search(await plan([base('a')], { mode: 'keyword' }), 20);
    expect(statements.map(({ sql }) => [sql.includes('kb_vectors'), sql.includes('to_tsvector')])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('finds nothing without a question or a knowledge base, and asks nobody', async () => {
    const { own, plan, statements } = over(() => Promise.reject(new Error('asked')));
    expect(await own.search(await plan([base('a')], { text: ' \n' }), 20)).toEqual([]);
    expect(await own.search(await plan([]), 20)).toEqual([]);
    expect(statements).toEqual([]);
  });
});

describe('a question whose language was told wrong', () => {
  const asked = async (text: string, unknown: readonly string[] | null) => {
    const hit = { chunk_id: '1', knowledge_base_id: 'a', similarity: 0.9, strength: 0.9, unknown } as Partial<Hit>;
    const own = new OwnSearch(
      { search: async () => [] } as unknown as PassageRepository,
      { search: async () => [hit], versionOf: async () => '1' } as unknown as ResidentIndexes,
      { embed: works } as QueryEmbedder,
      { unavailable: null, graphsOf: () => [] } as unknown as VectorStore,
      { correct: async () => [] } as unknown as SpellingCorrector,
      {
        detect: async () => ({ language: 'fr', scores: {} }),
        translate: async () => ({ texts: new Map([['en', 'soufflerie']]), warnings: [] }),
      } as unknown as QuestionLanguages,
    );
    const plan = await own.plan('o', [wordsOnly('a')], { text, topK: 3, threshold: 0 });
    const searched = await own.searchCorrected(plan, 20);
    return { language: searched.plan.question.language?.language ?? null, hits: searched.hits.length };
  };

  it('is searched for in its own words, and called foreign by nobody, when the material has all of its few words', async () => {
    expect(await asked('wind tunnel', null)).toMatchObject({ language: null, hits: 1 });
  });

  it.each([
    ['of few words that the material lacks', 'vent tunnel', ['vent']],
    ['of many words', 'combien de vent traverse le tunnel', null],
  ])('stays foreign %s', async (_, text, unknown) => {
    expect(await asked(text, unknown)).toMatchObject({ language: 'fr', hits: 1 });
  });
});

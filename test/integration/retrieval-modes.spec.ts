import { AppError, type Principal } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import { type RetrievalQuery, RetrievalService } from '../../src/knowledge-bases';
import { QueryEmbedder } from '../../src/knowledge-bases/retrieval/own-search';
import { PassageRepository } from '../../src/knowledge-bases/search/passage.repository';
import { VectorStore } from '../../src/knowledge-bases/search/vector-store';
import { VectorStoreRepository } from '../../src/knowledge-bases/search/vector-store.repository';
import { startApp, type TestApp } from '../support/app';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';

/*
 * Vectors of two dimensions written by hand stand for a model's. A server without pgvector runs the same questions and must
 * answer all of them in keyword mode.
 */
const path = '/api/v1/knowledge-bases';
const EAST = [1, 0];
const NORTH = [0, 1];
const NORTH_EAST = [0.6, 0.8];

let app: TestApp;
let teacher: Person;
let owner: Principal;
let hasVectors: boolean;
let nextIndex = 9_000_000;
const embed = jest.fn<Promise<readonly number[]>, Parameters<QueryEmbedder['embed']>>();

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  owner = { organizationId: (await teacher.api('GET', '/api/v1/me')).json.organization.id, userId: teacher.userId };
  hasVectors = app.get(VectorStore).available;
  jest.spyOn(app.get(QueryEmbedder), 'embed').mockImplementation(embed);
});
beforeEach(() => embed.mockReset().mockResolvedValue(EAST));
afterAll(() => app.stop());

async function knowledgeBase(files: Record<string, string>): Promise<string> {
  const { id } = (await teacher.api('POST', path, { name: 'Course', language: 'en' })).json;
  await ingested(teacher, id, files);
  return id;
}

/** Gives every chunk the vector of its file. */
async function vectors(id: string, byFile: Record<string, readonly number[]>, weight: number, model = 'small') {
  const db = app.get(DataSource);
  const index = nextIndex++;
  const embedding = JSON.stringify({ provider: 'openai', model, dimensions: 2 });
  await db.query(
    `UPDATE knowledge_bases SET embedding = $2, vector_embedding = $2, vector_index = $3, hybrid_weight = $4 WHERE id = $1`,
    [id, embedding, index, weight],
  );
  if (!hasVectors) return;
  const chunks = await db.query<{ id: string; filename: string }[]>(
    `SELECT c.id, d.filename FROM kb_chunks c JOIN kb_documents d ON d.id = c.document_id WHERE c.knowledge_base_id = $1`,
    [id],
  );
  const target = { organizationId: owner.organizationId, knowledgeBaseId: id, index };
  const rows = chunks.map((chunk) => ({ chunkId: chunk.id, vector: byFile[chunk.filename] ?? EAST }));
  await app.get(VectorStoreRepository).add(target, rows);
}

const retrieve = (collections: string[], more: Partial<RetrievalQuery> = {}) =>
  app.get(RetrievalService).retrieve(owner, { text: 'osmosis', topK: 3, threshold: 0, ...more, collections });

const FILES = { 'words.md': 'Osmosis moves water.', 'near.md': 'Membranes let liquids pass.', 'far.md': 'Cats sleep.' };
const VECTORS = { 'words.md': NORTH, 'near.md': EAST, 'far.md': NORTH };

async function embedded(weight: number): Promise<string> {
  const id = await knowledgeBase(FILES);
  await vectors(id, VECTORS, weight);
  return id;
}

const documents = (found: { passages: readonly { source: { document: string | null } }[] }) =>
  found.passages.map(({ source }) => source.document);

const instead = (mode: string): unknown =>
  expect.stringMatching(new RegExp(`^Knowledge base Course: keyword mode ran instead of ${mode}, .*pgvector`));

describe('the modes', () => {
  it('vector finds what is near, whatever its words', async () => {
    const found = await retrieve([await embedded(0.5)], { mode: 'vector', topK: 1 });
    expect(documents(found)).toEqual([hasVectors ? 'near.md' : 'words.md']);
    expect(found.collections[0]?.mode).toBe(hasVectors ? 'vector' : 'keyword');
    expect(found.warnings).toEqual(hasVectors ? [] : [instead('vector')]);
    if (hasVectors) expect(found.passages[0]?.similarity).toBeCloseTo(1);
    const all = await retrieve([await embedded(0.5)], { mode: 'vector' });
    expect(documents(all)).toEqual([hasVectors ? 'near.md' : 'words.md']);
  });

  it('hybrid, which a knowledge base with a weight is set to, finds both', async () => {
    const found = await retrieve([await embedded(0.5)]);
    expect(documents(found).sort()).toEqual(hasVectors ? ['near.md', 'words.md'] : ['words.md']);
    expect(found.collections[0]?.mode).toBe(hasVectors ? 'hybrid' : 'keyword');
  });

  it('keyword asks no model', async () => {
    const id = await embedded(0.5);
    expect(documents(await retrieve([id], { mode: 'keyword' }))).toEqual(['words.md']);
    expect(embed).not.toHaveBeenCalled();
  });

  it('without a weight is keyword, and hybrid says why it cannot run', async () => {
    const id = await embedded(0);
    expect(await retrieve([id])).toMatchObject({ collections: [{ mode: 'keyword' }], warnings: [] });
    const found = await retrieve([id], { mode: 'hybrid' });
    expect(found.collections[0]?.mode).toBe('keyword');
    expect(found.warnings).toEqual([
      hasVectors ? expect.stringContaining('its hybrid weight is 0') : instead('hybrid'),
    ]);
  });

  it('without a model is keyword, and a wish for another is told that', async () => {
    const id = await knowledgeBase(FILES);
    expect(await retrieve([id])).toMatchObject({ collections: [{ mode: 'keyword' }], warnings: [] });
    expect((await retrieve([id], { mode: 'vector' })).warnings).toEqual([
      'Knowledge base Course: keyword mode ran instead of vector, it has no embedding model',
    ]);
  });

  it('answers in keyword mode while the vectors are being made, or the provider is down', async () => {
    const id = await embedded(0.5);
    embed.mockRejectedValue(new AppError('upstream_error', 'The vendor cannot be reached'));
    const down = await retrieve([id]);
    expect(documents(down)).toEqual(['words.md']);
    expect(down.warnings).toEqual([
      hasVectors ? expect.stringContaining('The vendor cannot be reached') : instead('hybrid'),
    ]);
    await app
      .get(DataSource)
      .query(`UPDATE knowledge_bases SET vector_index = NULL, vector_embedding = NULL WHERE id = $1`, [id]);
    const building = await retrieve([id], { mode: 'hybrid' });
    expect(documents(building)).toEqual(['words.md']);
    expect(building.warnings).toEqual([
      hasVectors ? expect.stringContaining('its vectors are still being made') : instead('hybrid'),
    ]);
  });
});

describe('several knowledge bases in one question', () => {
  it('of different models ask each model once, and rank together', async () => {
    if (!hasVectors) return;
    embed.mockImplementation((_organization, { model }) => Promise.resolve(model === 'small' ? EAST : NORTH));
    const [a, b, c] = [await embedded(1), await embedded(1), await embedded(1)];
    await vectors(c, { 'words.md': EAST, 'near.md': NORTH_EAST, 'far.md': EAST }, 1, 'large');
    const found = await retrieve([a, b, c], { mode: 'vector', topK: 9, grouped: true });
    expect(embed.mock.calls.map(([, { model }]) => model).sort()).toEqual(['large', 'small']);
    expect(found.passages.filter(({ similarity }) => similarity > 0.1).map(({ similarity }) => similarity)).toEqual([
      expect.closeTo(1),
      expect.closeTo(1),
      expect.closeTo(0.8),
    ]);
  });

  it('take one round trip, whatever their modes', async () => {
    const [a, b] = [await embedded(0.5), await knowledgeBase({ 'c.md': 'Osmosis again.' })];
    const search = jest.spyOn(app.get(PassageRepository), 'search');
    const found = await retrieve([a, b]);
    expect(search).toHaveBeenCalledTimes(1);
    search.mockRestore();
    expect(found.collections.map(({ mode }) => mode)).toEqual([hasVectors ? 'hybrid' : 'keyword', 'keyword']);
    expect(documents(found)).toContain('c.md');
  });
});

describe('a query of one knowledge base', () => {
  const ask = (id: string, body: object) => teacher.api('POST', `${path}/${id}/query`, { query: 'osmosis', ...body });

  it('says which mode ran, and why not another', async () => {
    const answer = await ask(await embedded(0.5), { mode: 'hybrid' });
    expect(answer.json).toMatchObject({
      mode: hasVectors ? 'hybrid' : 'keyword',
      warnings: hasVectors ? [] : [instead('hybrid')],
    });
  });

  it('is refused for another model than that of its vectors, naming both', async () => {
    const id = await embedded(0.5);
    const refused = await ask(id, { embedding_model: 'large' });
    expect([refused.status, refused.json.code]).toEqual([422, 'embedding_model_mismatch']);
    expect(refused.json.detail).toMatch(/large.*small/);
    expect((await ask(id, { embedding_model: 'openai/small' })).status).toBe(200);
    expect((await ask(await knowledgeBase(FILES), { embedding_model: 'small' })).json.detail).toMatch(
      /small.*no embedding/,
    );
  });
});

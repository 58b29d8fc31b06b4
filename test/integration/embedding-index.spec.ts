import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { EmbeddingCacheRepository } from '../../src/knowledge-bases/embedding/embedding-cache.repository';
import { IndexBuilder } from '../../src/knowledge-bases/embedding/index-builder';
import { VectorMaintenance } from '../../src/knowledge-bases/embedding/vector-maintenance';
import { VectorStore } from '../../src/knowledge-bases/search/vector-store';
import { VectorStoreRepository } from '../../src/knowledge-bases/search/vector-store.repository';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type EmbeddingUpstream, startEmbeddingUpstream } from '../support/embedding-upstream';
import { until } from '../support/until';

const withVectors = process.env.TEST_DATABASE_URL === undefined ? describe : describe.skip;

let vendor: EmbeddingUpstream;
let app: TestApp;
const dataDir = mkdtempSync(join(tmpdir(), 'bw-index-'));
const adminKey = `bw_${randomBytes(24).toString('hex')}`;
const secretsKey = `test:${randomBytes(32).toString('hex')}`;
const start = (reset: boolean): Promise<TestApp> =>
  startApp({
    reset,
    dataDir,
    env: {
      BOOTSTRAP_ADMIN_KEY: adminKey,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: vendor.url,
      SECRETS_KEY: secretsKey,
    },
  });

const path = '/api/v1/knowledge-bases';
/** Calls for the 64 passages whose vectors are written together, 32 a call. */
const PAGE_CALLS = 2;
const WORDS = { provider: 'openai', model: 'words' };
const OTHER = { provider: 'openai', model: 'other' };

const read = async (id: string): Promise<any> => (await app.api('GET', `${path}/${id}`)).json;
const patch = async (id: string, embedding: object | null): Promise<any> =>
  (await app.api('PATCH', `${path}/${id}`, { embedding })).json;
const ask = async (id: string, more: object = {}): Promise<any> =>
  (await app.api('POST', `${path}/${id}/query`, { query: 'passage number seven', mode: 'vector', top_k: 100, ...more }))
    .json;

const ready = (id: string) => until(async () => (await read(id)).index.status === 'ready');

let books = 0;

/** Made of many passages that no other has; resolves when all are embedded. */
async function create(passages: number): Promise<string> {
  const book = (books += 1);
  const body = { name: 'Index', language: 'en', embedding: WORDS, chunk_size: 200, chunk_overlap: 0 };
  const { id } = (await app.api('POST', path, body)).json;
  const text = Array.from(
    { length: passages },
    (_, at) => `# Part ${at}\n\nPassage number ${at} of book ${book}. ${'Words follow. '.repeat(10)}`,
  );
  await app.api('POST', `${path}/${id}/documents`, filesForm(['book.md', text.join('\n\n')]));
  await until(async () => (await app.api('GET', `${path}/${id}/documents`)).json.items[0].status === 'completed');
  return id;
}
const vectors = async (): Promise<{ index_id: number; count: number }[]> =>
  app.get(DataSource).query('SELECT index_id, count(*)::int AS count FROM kb_vectors GROUP BY 1 ORDER BY 1');
const cached = async (): Promise<number> => {
  const [{ count }] = await app.get(DataSource).query('SELECT count(*)::int AS count FROM kb_embedding_cache');
  return count;
};

withVectors('a vector index', () => {
  beforeAll(async () => {
    vendor = await startEmbeddingUpstream();
    app = await start(true);
  });
  beforeEach(() => vendor.reset());
  afterAll(async () => {
    await app.stop();
    await vendor.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('that was being built when the service stopped is finished by the next, and nothing is paid for twice', async () => {
    const id = await create(150);
    const { chunk_count: chunks } = await read(id);
    expect(chunks).toBeGreaterThanOrEqual(150);
    vendor.reset();
    // The question that tries the model out and the first page are answered; what comes then is not, so it cannot end first.
    for (let answered = 0; answered < 1 + PAGE_CALLS; answered += 1) vendor.pass();
    vendor.fail({ fault: 'slow' }, 100);
    await patch(id, OTHER);
    await until(async () => (await read(id)).index.progress.current >= 64);
    await app.stop();
    const paid = vendor.embedded;
    expect(paid).toBeLessThan(chunks);
    vendor.reset();
    app = await start(false);
    const before = await read(id);
    expect(before.index.embedding.model).toMatch(/words|other/);
    await ready(id);
    expect((await ask(id)).results).toHaveLength(chunks > 100 ? 100 : chunks);
    // What the vendor was answering when the service stopped is asked for again, what it had answered is not. The model's
    // trial before, and the question after, are one each.
    expect(paid).toBe(1 + 64);
    expect(vendor.embedded).toBe(chunks - 64 + 1);
  });

  it('is not built twice by two that try', async () => {
    const id = await create(20);
    const data = { organizationId: (await app.api('GET', '/api/v1/me')).json.organization.id, id };
    await patch(id, OTHER);
    const builder = app.get(IndexBuilder);
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map(() => builder.run({ data, lastTry: false, signal })));
    await ready(id);
    const counts = (await vectors()).map(({ count }) => count);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(20);
    await builder.run({ data, lastTry: false, signal });
    await builder.run({ data: { ...data, id: data.organizationId }, lastTry: false, signal });
    expect((await read(id)).index).toMatchObject({ status: 'ready', embedding: { model: 'other' } });
  });

  it('that nobody names is cleared away when no question can be using it', async () => {
    const id = await create(10);
    const before = await vectors();
    await patch(id, OTHER);
    await ready(id);
    expect((await vectors()).length).toBeGreaterThan(before.length - 1);
    const maintenance = app.get(VectorMaintenance);
    await maintenance.sweep();
    await maintenance.sweep();
    const used = await app
      .get(DataSource)
      .query(
        'SELECT index_id FROM knowledge_bases, unnest(ARRAY[vector_index, next_vector_index]) index_id WHERE index_id IS NOT NULL ORDER BY 1',
      );
    expect((await vectors()).map(({ index_id }) => index_id)).toEqual(used.map(({ index_id }: any) => index_id));
    expect((await ask(id)).results.length).toBeGreaterThanOrEqual(10);
  });

  it('leaves with its knowledge base, and so does what the cache knows of it', async () => {
    const id = await create(10);
    const [all, known] = [await vectors(), await cached()];
    await app.api('DELETE', `${path}/${id}`);
    await until(async () => (await cached()) < known);
    expect((await vectors()).length).toBe(all.length - 1);
  });

  it('is built when the database gains its extension', async () => {
    const repository = app.get(VectorStoreRepository);
    const store = app.get(VectorStore);
    const lost = jest
      .spyOn(repository, 'extension')
      .mockResolvedValue({ installed: null, available: false, visible: false });
    await store.prepare();
    const id = await create(10);
    expect((await read(id)).index).toMatchObject({ modes: ['keyword'], status: 'ready', reason: store.unavailable });
    expect(await ask(id)).toMatchObject({ mode: 'keyword' });
    lost.mockRestore();
    await store.prepare();
    await app.get(VectorMaintenance).sweep();
    await until(async () => (await read(id)).index.modes.includes('vector'));
    expect(await ask(id)).toMatchObject({ mode: 'vector' });
  });

  it('that misses documents of a time without the extension does not answer until it is whole again', async () => {
    const id = await create(10);
    const repository = app.get(VectorStoreRepository);
    const store = app.get(VectorStore);
    const lost = jest
      .spyOn(repository, 'extension')
      .mockResolvedValue({ installed: null, available: false, visible: false });
    await store.prepare();
    await app.api('POST', `${path}/${id}/documents`, filesForm(['more.md', 'Mitosis divides cells.']));
    await until(async () => (await app.api('GET', `${path}/${id}/documents?status=completed`)).json.total === 2);
    lost.mockRestore();
    await store.prepare();
    expect((await read(id)).index.modes).toEqual(['keyword']);
    await app.get(VectorMaintenance).sweep();
    await until(async () => (await read(id)).index.modes.includes('vector'));
    const { results } = await ask(id, { query: 'mitosis' });
    expect(results[0].metadata.filename).toBe('more.md');
    expect(results).toHaveLength((await read(id)).chunk_count);
  });

  it('keeps its cache within bounds, the latest used last', async () => {
    await create(30);
    await app.get(EmbeddingCacheRepository).prune(5);
    expect(await cached()).toBeLessThanOrEqual(5);
    const id = await create(10);
    await app.get(DataSource).query(`UPDATE kb_embedding_cache SET used_at = now() - interval '31 days'`);
    await app.get(EmbeddingCacheRepository).prune();
    expect(await cached()).toBe(0);
    expect((await ask(id)).results.length).toBeGreaterThanOrEqual(10);
  });
});

import { DataSource } from 'typeorm';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesForm, startApp, type TestApp } from '../support/app';
import { type EmbeddingUpstream, startEmbeddingUpstream } from '../support/embedding-upstream';
import { foreignOrganization, type Person, person } from '../support/people';
import { modelFolder } from '../support/model-folder';
import { until } from '../support/until';

/** A server without pgvector runs the same product by words only. */
const hasVectors = process.env.TEST_DATABASE_URL === undefined;
const withVectors = hasVectors ? describe : describe.skip;
const withoutVectors = hasVectors ? describe.skip : describe;

let app: TestApp;
let vendor: EmbeddingUpstream;
let teacher: Person;
let models: string;

beforeAll(async () => {
  vendor = await startEmbeddingUpstream();
  models = mkdtempSync(join(tmpdir(), 'bellwether-models-'));
  app = await startApp({
    env: {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: vendor.url,
      OLLAMA_BASE_URL: vendor.origin,
      EMBEDDING_FOLDER: modelFolder(join(models, 'tiny')),
    },
  });
  teacher = await person(app);
});
beforeEach(() => vendor.reset());
afterAll(async () => {
  await app.stop();
  await vendor.stop();
  rmSync(models, { recursive: true });
});

const path = '/api/v1/knowledge-bases';
const WORDS = { provider: 'openai', model: 'words' };
const OTHER = { provider: 'openai', model: 'other' };

async function create(body: object = {}, who = teacher): Promise<any> {
  const answer = await who.api('POST', path, { name: 'Biology', language: 'en', embedding: WORDS, ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.json;
}
const read = async (id: string): Promise<any> => (await teacher.api('GET', `${path}/${id}`)).json;
const patch = (id: string, body: object) => teacher.api('PATCH', `${path}/${id}`, body);
const ask = async (id: string, query: string, more: object = {}): Promise<any> =>
  (await teacher.api('POST', `${path}/${id}/query`, { query, mode: 'vector', ...more })).json;
const once = <T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> =>
  until(async () => {
    const seen = await look();
    return isDone(seen) ? { seen } : null;
  }).then(({ seen }) => seen);
const documents = async (id: string): Promise<any[]> =>
  (await teacher.api('GET', `${path}/${id}/documents?limit=100`)).json.items;
const settled = (id: string) =>
  once(
    () => documents(id),
    (items) => items.every(({ status }) => status === 'completed' || status === 'failed'),
  );
const ready = (id: string) =>
  once(
    () => read(id),
    ({ index }) => index.status !== 'building',
  );

async function upload(id: string, files: Record<string, string>): Promise<any[]> {
  const answer = await teacher.api('POST', `${path}/${id}/documents`, filesForm(...Object.entries(files)));
  expect(answer.status).toBeLessThan(300);
  return settled(id);
}
const BOOK = {
  'osmosis.md': '# Cells\n\nOsmosis moves water through a membrane.',
  'light.md': '# Plants\n\nChlorophyll absorbs light in the thylakoid.',
  'law.md': '# Circuits\n\nVoltage equals current times resistance.',
};

describe('a knowledge base', () => {
  it('is searched by words unless somebody chooses a model', async () => {
    const kb = await create({ embedding: undefined });
    expect(kb).toMatchObject({
      embedding: null,
      hybrid_weight: 0,
      index: { modes: ['keyword'], status: 'ready', progress: null, embedding: null, reason: null },
    });
    expect(vendor.requests).toHaveLength(0);
  });

  it('asks a chosen model once, for its dimensions', async () => {
    vendor.dimensionsOf('words', 24);
    const kb = await create();
    expect(kb.embedding).toEqual({ ...WORDS, dimensions: 24 });
    expect(vendor.requests).toHaveLength(1);
    expect((await create({ embedding: { ...WORDS, dimensions: 8 } })).embedding.dimensions).toBe(8);
  });

  it('cannot be made with a model that does not answer, or a provider that there is not', async () => {
    const refused = async (embedding: object) => (await teacher.api('POST', path, { name: 'x', embedding })).json;
    expect(await refused({ provider: 'nobody', model: 'x' })).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: 'embedding.provider', message: 'must be one of openai, ollama, folder' }],
    });
    expect(await refused({ provider: 'local', model: 'x' })).toMatchObject({
      errors: [{ path: 'embedding.provider' }],
    });
    expect(await refused({ provider: 'openai', model: '' })).toMatchObject({ errors: [{ path: 'embedding.model' }] });
    expect(await refused({ ...WORDS, dimensions: 1 })).toMatchObject({ errors: [{ path: 'embedding.dimensions' }] });
    vendor.fail({ fault: 'unauthorized' });
    expect(await refused(WORDS)).toMatchObject({ code: 'upstream_auth' });
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    const answer = await foreigner.api('POST', path, { name: 'x', embedding: WORDS });
    expect(answer.json).toMatchObject({ code: 'connector_not_configured' });
  });

  it('knows which models rank well, and lets its owner decide', async () => {
    const known = await create({ embedding: { provider: 'openai', model: 'text-embedding-3-small' } });
    expect([known.hybrid_weight, (await create()).hybrid_weight]).toEqual([0.5, 0]);
    expect((await patch(known.id, { hybrid_weight: 0.3 })).json.hybrid_weight).toBe(0.3);
    expect((await patch(known.id, { hybrid_weight: null })).json.hybrid_weight).toBe(0.5);
    expect((await patch(known.id, { hybrid_weight: 2 })).json).toMatchObject({ errors: [{ path: 'hybrid_weight' }] });
  });

  it('takes its documents in again where it cuts or reads them differently', async () => {
    const kb = await create({ embedding: null });
    await upload(kb.id, { 'long.md': 'Water flows. '.repeat(100) });
    const before = await read(kb.id);
    expect((await patch(kb.id, { chunk_overlap: 1500 })).json).toMatchObject({ errors: [{ path: 'chunk_overlap' }] });
    expect((await patch(kb.id, { chunk_size: 300, chunk_overlap: 0 })).status).toBe(200);
    const after = await once(
      () => read(kb.id),
      ({ chunk_count }) => chunk_count > before.chunk_count,
    );
    expect(after).toMatchObject({ chunk_size: 300, chunk_overlap: 0 });
    await settled(kb.id);
    await patch(kb.id, { language: 'es' });
    const [document] = await settled(kb.id);
    expect(document.status).toBe('completed');
    expect((await read(kb.id)).language).toBe('es');
  });
});

withoutVectors('a database without pgvector', () => {
  it('searches by words, and says so wherever it is asked', async () => {
    const kb = await create();
    expect(kb.index).toMatchObject({ modes: ['keyword'], reason: expect.stringContaining('pgvector') });
    await upload(kb.id, BOOK);
    const answer = await ask(kb.id, 'osmosis of water');
    expect(answer).toMatchObject({ mode: 'keyword', results: [{ metadata: { filename: 'osmosis.md' } }] });
    expect(answer.warnings.join()).toContain('pgvector');
    expect((await patch(kb.id, { embedding: OTHER })).json).toMatchObject({
      embedding: OTHER,
      index: { status: 'ready' },
    });
    expect(app.log()).toContain('no vector search');
    expect(vendor.embedded).toBe(2);
  });
});

withVectors('documents', () => {
  it('searches by the meaning that the operator’s model folder gives, without a vendor', async () => {
    const listed = await teacher.api('GET', '/api/v1/connectors');
    expect(listed.json.model_folder).toBe('tiny');
    const { id } = await create({ embedding: { provider: 'folder', model: 'tiny' } });
    await upload(id, { 'a.txt': 'Water water water', 'b.txt': 'light light light' });
    await settled(id);
    expect((await ready(id)).index.modes).toContain('vector');
    expect((await ask(id, 'light')).results[0].data).toBe('light light light');
    const unknown = { name: 'K', embedding: { provider: 'folder', model: 'huge' } };
    expect(await teacher.api('POST', path, unknown)).toMatchObject({
      json: { detail: expect.stringContaining('is tiny, not huge') },
    });
  });

  it('are found by their vectors, each with its cosine', async () => {
    const kb = await create();
    expect(kb.index).toMatchObject({ modes: ['keyword', 'vector', 'hybrid'], embedding: { model: 'words' } });
    await upload(kb.id, BOOK);
    const { results, mode } = await ask(kb.id, 'water through a membrane', { top_k: 2 });
    expect(mode).toBe('vector');
    expect(results).toHaveLength(2);
    expect(results[0]).toMatchObject({ metadata: { filename: 'osmosis.md' } });
    expect(results[0].similarity).toBeGreaterThan(results[1].similarity);
    expect(results[0].similarity).toBeLessThanOrEqual(1);
    const strict = await ask(kb.id, 'water through a membrane', { threshold: results[0].similarity - 1e-6 });
    expect(strict.results).toHaveLength(1);
  });

  it('that fail to be embedded say why, and the rest of the batch is unharmed', async () => {
    vendor.readAtMost(600);
    const kb = await create();
    const items = await upload(kb.id, { ...BOOK, 'long.md': 'x'.repeat(1_500) });
    const failed = items.filter(({ status }) => status === 'failed');
    expect(failed).toMatchObject([{ filename: 'long.md', error: expect.stringContaining('smaller chunk_size') }]);
    expect((await ask(kb.id, 'water')).results).toHaveLength(3);
  });

  it('that were embedded before cost nothing again', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    const paid = vendor.embedded;
    await patch(kb.id, { language: 'es' });
    await settled(kb.id);
    expect(vendor.embedded).toBe(paid);
    expect((await ask(kb.id, 'water')).results).toHaveLength(3);
  });

  it('of another knowledge base, organization or model never answer', async () => {
    const kb = await create();
    const other = await create();
    await upload(kb.id, BOOK);
    await upload(other.id, { 'secret.md': 'Osmosis moves water through a membrane, in secret.' });
    const { results } = await ask(kb.id, 'osmosis moves water in secret', { top_k: 10 });
    expect(results.map(({ metadata }: any) => metadata.filename)).not.toContain('secret.md');
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    expect((await foreigner.api('POST', `${path}/${kb.id}/query`, { query: 'x', mode: 'vector' })).status).toBe(404);
    const mismatch = await ask(kb.id, 'water', { embedding_model: 'other' });
    expect(mismatch).toMatchObject({ code: 'embedding_model_mismatch' });
    expect(mismatch.detail).toEqual(expect.stringMatching(/other.*words/));
  });
});

withVectors('another model', () => {
  /** Holds the calls of a rebuild. The first call for the model asks for its dimensions. */
  function holdRebuild(): void {
    let calls = 0;
    vendor.hold(({ model }) => model === 'other' && calls++ > 0);
  }

  it('is built beside the one that answers, and takes its place whole', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    vendor.dimensionsOf('other', 32);
    holdRebuild();
    const changed = (await patch(kb.id, { embedding: OTHER })).json;
    expect(changed).toMatchObject({
      embedding: { model: 'other', dimensions: 32 },
      index: { status: 'building', progress: { current: 0, total: 3 }, embedding: { model: 'words' } },
    });
    expect(await ask(kb.id, 'water membrane', { top_k: 1 })).toMatchObject({
      mode: 'vector',
      results: [{ metadata: { filename: 'osmosis.md' } }],
    });
    vendor.release();
    const done = await ready(kb.id);
    expect(done.index).toMatchObject({
      status: 'ready',
      progress: null,
      embedding: { model: 'other', dimensions: 32 },
    });
    const question = vendor.requests.length;
    expect((await ask(kb.id, 'light', { top_k: 1 })).results[0].metadata.filename).toBe('light.md');
    expect(vendor.requests[question]).toMatchObject({ model: 'other' });
  });

  it('can be taken back while it is built', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    const asked = (): number => vendor.requests.filter(({ model }) => model === 'words').length;
    const before = asked();
    holdRebuild();
    await patch(kb.id, { embedding: OTHER });
    const back = (await patch(kb.id, { embedding: WORDS })).json;
    expect(back).toMatchObject({ embedding: { model: 'words' }, index: { status: 'ready', progress: null } });
    expect(asked()).toBe(before);
    vendor.release();
    await until(() => vendor.active === 0);
    expect((await read(kb.id)).index.embedding.model).toBe('words');
    expect((await ask(kb.id, 'water')).results).toHaveLength(3);
  });

  it('that fails for good says why and leaves the old one answering; asking again tries again', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    await patch(kb.id, { embedding: { provider: 'ollama', model: 'other' } });
    await ready(kb.id);
    const third = { provider: 'openai', model: 'third' };
    vendor.dimensionsOf('third', 8);
    // The model answers when it is asked whether it is there, and no more then.
    vendor.pass();
    vendor.fail({ fault: 'unauthorized' });
    await patch(kb.id, { embedding: third });
    const failed = await ready(kb.id);
    expect(failed.index).toMatchObject({
      status: 'failed',
      embedding: { model: 'other' },
      reason: expect.stringContaining('credentials'),
    });
    expect((await ask(kb.id, 'water')).results).toHaveLength(3);
    await patch(kb.id, { embedding: third });
    expect((await ready(kb.id)).index).toMatchObject({ status: 'ready', embedding: { model: 'third' }, reason: null });
  });

  it('misses nothing of what is uploaded, replaced and deleted meanwhile', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    vendor.delay(100);
    await patch(kb.id, { embedding: OTHER });
    const [victim] = await documents(kb.id);
    await teacher.api('DELETE', `${path}/${kb.id}/documents/${victim.id}`);
    await upload(kb.id, { 'new.md': 'Mitosis divides cells.', 'law.md': 'Power equals voltage times current.' });
    await ready(kb.id);
    vendor.delay(0);
    const { results } = await ask(kb.id, 'anything', { top_k: 20 });
    // What was replaced is counted until it is cleared away.
    await once(
      () => read(kb.id),
      ({ chunk_count }) => chunk_count === results.length,
    );
    expect(results.map(({ metadata }: any) => metadata.filename)).toContain('new.md');
  });

  it('of none takes the vectors away, and of one brings them back', async () => {
    const kb = await create();
    await upload(kb.id, BOOK);
    expect((await patch(kb.id, { embedding: null })).json).toMatchObject({
      embedding: null,
      index: { modes: ['keyword'] },
    });
    expect(await ask(kb.id, 'water')).toMatchObject({ mode: 'keyword' });
    await patch(kb.id, { embedding: WORDS });
    expect((await ready(kb.id)).index.modes).toContain('vector');
    expect((await ask(kb.id, 'water')).results).toHaveLength(3);
  });
});

describe('judged passages', () => {
  const QUESTION = 'What does chlorophyll absorb?';
  const judgements = (id: string, question?: string): Promise<any> =>
    teacher
      .api(
        'GET',
        `${path}/${id}/judgements${question === undefined ? '' : `?question=${encodeURIComponent(question)}`}`,
      )
      .then(({ json }) => json);
  const evaluate = async (id: string, body: object = {}): Promise<any> =>
    (await teacher.api('POST', `${path}/${id}/evaluation`, body)).json;
  const placeOf = ({ metadata: { document_id, start, end } }: any) => ({ document_id, start, end });
  const judge = (id: string, result: any, right: boolean, question = QUESTION, who = teacher) =>
    who.api('PUT', `${path}/${id}/judgements`, { question, right, ...placeOf(result) });
  const entries = () =>
    app.get(DataSource).query(`SELECT count(*)::int AS n FROM audit_entries WHERE action LIKE 'judgement.%'`);

  let kb: any;
  let found: any[];
  beforeAll(async () => {
    kb = await create();
    await upload(kb.id, { ...BOOK, 'more.md': '# Light\n\nLight is what plants and mirrors absorb or reflect.' });
    await ready(kb.id);
    found = (await ask(kb.id, QUESTION, { mode: 'keyword' })).results;
  });

  it('are kept per question, once each, and compare settings with the current ones', async () => {
    const [{ n: before }] = await entries();
    const right = found.find(({ data }) => data.includes('Chlorophyll'));
    const first = await judge(kb.id, right, false);
    expect(first).toMatchObject({
      status: 200,
      json: { question: QUESTION, right: false, filename: 'light.md', chunks: right.metadata.chunks },
    });
    const second = await judge(kb.id, right, true, ' what does  chlorophyll ABSORB?');
    expect(second.json).toEqual({ ...first.json, right: true });
    await judge(kb.id, right, true);
    await judge(
      kb.id,
      found.find(({ data }) => data.includes('mirrors')),
      false,
    );
    expect((await judgements(kb.id)).items).toHaveLength(2);
    expect((await judgements(kb.id, 'Another one')).items).toEqual([]);
    // 'judgement.set' for each change, none for the one that was there.
    expect((await entries())[0].n - before).toBe(3);

    const { alternatives, ...compared } = await evaluate(kb.id);
    expect(compared).toEqual({ at: 5, questions: 1, left_out: 0, outdated: 0 });
    expect(alternatives[0]).toMatchObject({
      ...{ hybrid_weight: 0, rerank: false, current: true, mode: 'keyword' },
      ...{ ndcg: 1, hit_rate: 1, warnings: [] },
    });
    expect(alternatives.map(({ hybrid_weight, mode }: any) => [hybrid_weight, mode])).toEqual(
      hasVectors ? [[0, 'keyword'], ...[0.3, 0.5, 0.7].map((weight) => [weight, 'hybrid'])] : [[0, 'keyword']],
    );
    expect((await read(kb.id)).hybrid_weight).toBe(0);
    const wished = await evaluate(kb.id, { at: 10, alternatives: [{ hybrid_weight: 0, rerank: true }] });
    expect(wished.alternatives[1]).toMatchObject({
      ...{ rerank: true, current: false, ndcg: 1 },
      warnings: [expect.stringContaining('The reranker is not set up in this organization')],
    });
  });

  it('hold in a new index where the text is the same, and are told where it has gone', async () => {
    const documentId = found.find(({ data }) => data.includes('Chlorophyll')).metadata.document_id;
    await patch(kb.id, { chunk_size: 1_000 });
    await settled(kb.id);
    const again = await evaluate(kb.id);
    expect([again.questions, again.outdated, again.alternatives[0].ndcg]).toEqual([1, 0, 1]);
    await teacher.api('DELETE', `${path}/${kb.id}/documents/${documentId}`);
    expect(await evaluate(kb.id)).toMatchObject({ questions: 0, outdated: 1 });
  });

  it("are the owner's, and go with the knowledge base", async () => {
    const reader = await person(app);
    await patch(kb.id, { visibility: 'organization' });
    expect(await judge(kb.id, found[0], true, QUESTION, reader)).toMatchObject({ status: 403 });
    expect((await reader.api('POST', `${path}/${kb.id}/evaluation`, {})).status).toBe(403);
    expect((await reader.api('GET', `${path}/${kb.id}/judgements`)).status).toBe(403);
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    expect((await foreigner.api('GET', `${path}/${kb.id}/judgements`)).status).toBe(404);
    expect(await judge(kb.id, { metadata: { ...found[0].metadata, document_id: kb.id } }, true)).toMatchObject({
      status: 404,
    });
    const [{ id }] = (await judgements(kb.id)).items;
    expect((await teacher.api('DELETE', `${path}/${kb.id}/judgements/${id}`)).status).toBe(204);
    expect((await teacher.api('DELETE', `${path}/${kb.id}/judgements/${id}`)).status).toBe(404);
    await teacher.api('DELETE', `${path}/${kb.id}`);
    await until(async () => (await app.get(DataSource).query('SELECT FROM kb_judgements')).length === 0);
  });
});

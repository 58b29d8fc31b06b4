import { ExtractionError, Extractor } from '@bellwether/extraction';
import { AppError } from '@bellwether/kernel';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { BlobStore } from '../../src/files';
import { ChunkEmbedder, EmbeddingTimeSliceEnded } from '../../src/knowledge-bases/embedding/chunk-embedder';
import { DocumentScope } from '../../src/knowledge-bases/storage/document-scope.repository';
import { DocumentPurge } from '../../src/knowledge-bases/ingestion/ingestion.service';
import { IngestionRequests } from '../../src/knowledge-bases/ingestion/ingestion-requests';
import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';
import { until } from '../support/until';

const PATH = '/api/v1/knowledge-bases';
let app: TestApp;
let dataDir: string;
let teacher: Person;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bw-ingestion-'));
  app = await startApp({ dataDir, env: { INGESTION_CONCURRENCY: '1' } });
  teacher = await person(app);
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await app.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const create = async (): Promise<string> =>
  (await teacher.api('POST', PATH, { name: 'Biology', language: 'en', chunk_size: 400 })).json.id as string;
const upload = (id: string, ...files: (readonly [name: string, content: string])[]) =>
  teacher.api('POST', `${PATH}/${id}/documents`, filesForm(...files));
const get = async (id: string, document: string): Promise<any> =>
  (await teacher.api('GET', `${PATH}/${id}/documents/${document}`)).json;
const list = async (id: string, status = 'pending'): Promise<any> =>
  (await teacher.api('GET', `${PATH}/${id}/documents?status=${status}&limit=100`)).json;
const found = async (id: string, query: string): Promise<number> =>
  (await teacher.api('POST', `${PATH}/${id}/query`, { query })).json.results.length as number;
const sql = <T extends object>(statement: string, values: unknown[]): Promise<T[]> =>
  app.get(DataSource).query<T[]>(statement, values);

/** The pause before the next try is over now. */
const hurry = (): Promise<unknown> =>
  sql(`UPDATE pgboss.job SET start_after = now() WHERE state = 'retry' AND start_after > now()`, []);
/** An answer that waits for its documents comes without these pauses. */
async function hurried<T>(answer: Promise<T>): Promise<T> {
  for (let open = true; open;) {
    await hurry();
    open = await Promise.race([answer.then(() => false), sleep(50, true)]);
  }
  return answer;
}
const arrived = (id: string, document: string, status: string): Promise<unknown> =>
  until(async () => {
    await hurry();
    return (await get(id, document)).status === status;
  });
const completed = (id: string, document: string): Promise<unknown> => arrived(id, document, 'completed');
/** Chunks that belong to no answering generation. */
const deadChunks = async (id: string): Promise<number> =>
  (
    await sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM kb_chunks c WHERE c.knowledge_base_id = $1
       AND NOT EXISTS (SELECT FROM kb_documents d WHERE d.generation = c.generation)`,
      [id],
    )
  )[0]?.n ?? -1;

/** Holds every document after its chunks were written, until told to go on or interrupted. */
function hold(): { arrived(): Promise<unknown>; release(): void } {
  let arrivals = 0;
  let release = (): void => undefined;
  const open = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(app.get(ChunkEmbedder), 'embedGeneration').mockImplementation(async (_target, { signal, done }) => {
    arrivals++;
    done(1, 2);
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    await Promise.race([open, aborted]);
  });
  return { arrived: () => until(async () => arrivals > 0), release: () => release() };
}
/** The upload waits for its documents, which the test holds. */
const uploading = (id: string, ...files: (readonly [string, string])[]) => {
  const answer = upload(id, ...files);
  answer.catch(() => undefined);
  return answer;
};

it('a document whose process died twice is set aside, not read a third time; one death is forgiven', async () => {
  const kb = await create();
  const [row] = (await upload(kb, ['a.md', 'Mitosis splits a cell.'])).json.items;
  const [{ organization_id: organizationId }] = (await sql<{ organization_id: string }>(
    'SELECT organization_id FROM kb_documents WHERE id = $1',
    [row.id],
  )) as [{ organization_id: string }];
  /** What a process leaves that was killed while it read the document. */
  const died = async (starts: number): Promise<void> => {
    await sql(
      `UPDATE kb_documents SET status = 'processing', claim = gen_random_uuid(), claimed_until = now() - interval '1 second',
        lost_starts = $2 WHERE id = $1`,
      [row.id, starts],
    );
    // The job of the upload may still be under way: none is enqueued beside it.
    await until(() => app.get(IngestionRequests).repair([{ organizationId, knowledgeBaseId: kb, id: row.id }], []));
  };
  await died(1);
  await arrived(kb, row.id, 'completed');
  expect(await sql('SELECT lost_starts FROM kb_documents WHERE id = $1', [row.id])).toEqual([{ lost_starts: 0 }]);

  const extract = jest.spyOn(app.get(Extractor), 'extract');
  await died(2);
  await arrived(kb, row.id, 'failed');
  expect(await get(kb, row.id)).toMatchObject({
    error_code: 'document.resource',
    error: expect.stringMatching(/^The service ended twice while it read this document/),
  });
  expect(extract).not.toHaveBeenCalled();
  // Its passages still answer, and the owner may know better.
  expect(await found(kb, 'mitosis')).toBe(1);
  expect((await teacher.api('POST', `${PATH}/${kb}/documents/${row.id}/retry`)).json).toMatchObject({ error: null });
  await arrived(kb, row.id, 'completed');
});

it('a name that a Mac spells with a combining accent is the name of the same document', async () => {
  const kb = await create();
  const [mac, other] = ['cafe\u0301.md', 'caf\u00e9.md'];
  const [first] = (await upload(kb, [mac, 'Mitosis splits a cell.'])).json.items;
  expect(first).toMatchObject({ filename: other });
  const [same] = (await upload(kb, [mac, 'Mitosis splits a cell.'], [other, 'Osmosis moves water.'])).json.items;
  expect(same.id).toBe(first.id);
  // Stored by an earlier version.
  await sql('UPDATE kb_documents SET filename = $2 WHERE id = $1', [first.id, mac]);
  const [again] = (await upload(kb, [other, 'Enzymes speed reactions up.'])).json.items;
  expect(again).toMatchObject({ id: first.id, filename: other });
  await arrived(kb, first.id, 'completed');
  expect([await found(kb, 'enzymes'), await found(kb, 'osmosis'), await found(kb, 'mitosis')]).toEqual([1, 0, 0]);
});

describe('a document', () => {
  it('that is cancelled while it is processed says so, and what it was before goes on answering', async () => {
    const kb = await create();
    const [first] = (await upload(kb, ['a.md', 'Mitosis splits a cell.'])).json.items;
    const gate = hold();
    const answer = uploading(kb, ['a.md', 'Meiosis halves the chromosomes.']);
    await gate.arrived();
    expect(await get(kb, first.id)).toMatchObject({ status: 'processing', progress: { current: 2, total: 3 } });
    const cancelled = await teacher.api('POST', `${PATH}/${kb}/documents/${first.id}/cancel`);
    expect(cancelled.json).toMatchObject({ status: 'failed', error_code: 'document.cancelled' });
    await answer;
    expect([await found(kb, 'mitosis'), await found(kb, 'meiosis')]).toEqual([1, 0]);
    await until(async () => (await deadChunks(kb)) === 0);
    expect((await teacher.api('POST', `${PATH}/${kb}/documents/${first.id}/cancel`)).status).toBe(409);
    jest.restoreAllMocks();
    const retried = await teacher.api('POST', `${PATH}/${kb}/documents/${first.id}/retry`);
    expect(retried.json).toMatchObject({ status: 'completed', error: null, error_code: null });
    expect([await found(kb, 'mitosis'), await found(kb, 'meiosis')]).toEqual([0, 1]);
  });

  it('that is replaced while it is processed ends with the newer content only', async () => {
    const kb = await create();
    const gate = hold();
    const answer = uploading(kb, ['a.md', 'Mitosis splits a cell.']);
    await gate.arrived();
    jest.restoreAllMocks();
    const [second] = (await upload(kb, ['a.md', 'Meiosis halves the chromosomes.'])).json.items;
    await answer;
    await completed(kb, second.id);
    expect([await found(kb, 'mitosis'), await found(kb, 'meiosis')]).toEqual([0, 1]);
    await until(async () => (await deadChunks(kb)) === 0);
  });

  it('that is deleted while it is processed is gone, and its name is free at once', async () => {
    const kb = await create();
    const gate = hold();
    const answer = uploading(kb, ['a.md', 'Mitosis splits a cell.']);
    await gate.arrived();
    const [row] = (await list(kb, 'processing')).items;
    expect((await teacher.api('DELETE', `${PATH}/${kb}/documents/${row.id}`)).status).toBe(204);
    await answer;
    jest.restoreAllMocks();
    const [again] = (await upload(kb, ['a.md', 'Mitosis splits a cell.'])).json.items;
    expect(again).toMatchObject({ status: 'completed' });
    expect(again.id).not.toBe(row.id);
    await until(async () => (await sql('SELECT id FROM kb_documents WHERE id = $1', [row.id])).length === 0);
    expect([await found(kb, 'mitosis'), await deadChunks(kb)]).toEqual([1, 0]);
  });

  it('that is called like one that is being taken apart stays', async () => {
    const kb = await create();
    const [old] = (await upload(kb, ['a.md', 'Mitosis splits a cell.'])).json.items;
    jest.spyOn(app.get(DocumentPurge), 'purge').mockRejectedValueOnce(new AppError('unavailable', 'Not now'));
    const deleting = teacher.api('DELETE', `${PATH}/${kb}/documents/${old.id}`);
    await until(async () => (await get(kb, old.id)).status === 404);
    const [row] = await sql<{ filename: string }>('SELECT filename FROM kb_documents WHERE id = $1', [old.id]);
    expect(row?.filename).not.toContain(old.id);
    const [named] = (await upload(kb, [`deleted:${old.id}`, 'Meiosis halves the chromosomes.'])).json.items;
    await hurried(deleting);
    await until(async () => (await sql('SELECT id FROM kb_documents WHERE id = $1', [old.id])).length === 0);
    expect(await get(kb, named.id)).toMatchObject({ filename: `deleted:${old.id}` });
  });

  it('whose knowledge base is deleted while it is processed leaves nothing', async () => {
    const kb = await create();
    const gate = hold();
    const answer = uploading(kb, ['a.md', 'Mitosis splits a cell.']);
    await gate.arrived();
    expect((await teacher.api('DELETE', `${PATH}/${kb}`)).status).toBe(204);
    gate.release();
    expect((await answer).status).toBe(201);
    await until(async () => (await sql('SELECT id FROM knowledge_bases WHERE id = $1', [kb])).length === 0);
    expect(await sql('SELECT id FROM kb_chunks WHERE knowledge_base_id = $1', [kb])).toEqual([]);
    const organizations = readdirSync(join(app.dataDir, 'knowledge-bases'));
    expect(organizations.flatMap((name) => readdirSync(join(app.dataDir, 'knowledge-bases', name)))).not.toContain(kb);
  });

  it('is tried again after a fault that passes, and fails at once after one that does not', async () => {
    const kb = await create();
    const embed = jest.spyOn(app.get(ChunkEmbedder), 'embedGeneration');
    embed.mockRejectedValueOnce(new AppError('upstream_rate_limited', 'Too fast'));
    const [passing] = (await hurried(upload(kb, ['a.md', 'Osmosis.']))).json.items;
    await completed(kb, passing.id);
    expect(await get(kb, passing.id)).toMatchObject({ attempts: 2, error: null });
    embed.mockRejectedValueOnce(new AppError('upstream_auth', 'The embedding provider refused the key'));
    const [lasting] = (await upload(kb, ['b.md', 'Osmosis moves water through a membrane.'])).json.items;
    expect(lasting).toMatchObject({
      status: 'failed',
      error_code: 'upstream_auth',
      error: 'The embedding provider refused the key',
      attempts: 1,
    });
    expect(await found(kb, 'osmosis')).toBe(1);
    expect((await teacher.api('POST', `${PATH}/${kb}/documents/retry`)).json).toEqual({ retried: 1 });
    await completed(kb, lasting.id);
    expect(await found(kb, 'osmosis')).toBe(2);
  });

  it('that takes too long is tried once more, when the machine may be less busy, and not again', async () => {
    const kb = await create();
    const timeout = new ExtractionError('document.timeout', 'Reading the document took longer than 60 s');
    const extract = jest.spyOn(app.get(Extractor), 'extract').mockRejectedValueOnce(timeout);
    const [once] = (await hurried(upload(kb, ['a.md', 'Osmosis.']))).json.items;
    await completed(kb, once.id);
    expect(await get(kb, once.id)).toMatchObject({ attempts: 2, error: null });
    extract.mockClear();
    extract.mockRejectedValueOnce(timeout).mockRejectedValueOnce(timeout);
    const [twice] = (await hurried(upload(kb, ['b.md', 'Osmosis moves water.']))).json.items;
    await arrived(kb, twice.id, 'failed');
    expect(await get(kb, twice.id)).toMatchObject({ attempts: 2, error_code: 'document.timeout' });
    expect(extract).toHaveBeenCalledTimes(2);
  });
});

describe('many documents', () => {
  it('do not keep a few of another knowledge base waiting', async () => {
    const [large, small] = [await create(), await create()];
    const many = Array.from({ length: 20 }, (_, n) => [`${n}.md`, `Osmosis, part ${n}.`] as const);
    const gate = hold();
    const answer = uploading(large, ...many);
    await gate.arrived();
    const few = uploading(small, ['a.md', 'Mitosis.'], ['b.md', 'Meiosis.']);
    await until(async () => (await list(small)).total === 2);
    gate.release();
    jest.restoreAllMocks();
    expect((await few).json.items).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect((await list(large)).total).toBeGreaterThan(0);
    expect((await answer).json.items).toHaveLength(20);
    await until(async () => (await list(large, 'completed')).total === 20);
  });
});

describe('an organization with very many documents in other knowledge bases', () => {
  it('has its next one wait behind those of other organizations', async () => {
    const colleague = await person(app, { organization: await foreignOrganization(app) });
    const base = async (owner: Person, name: string): Promise<string> =>
      (await owner.api('POST', PATH, { name, language: 'en' })).json.id as string;
    const send = (owner: Person, id: string, ...files: (readonly [name: string, content: string])[]) =>
      owner.api('POST', `${PATH}/${id}/documents`, filesForm(...files));
    const [busy, next] = [await base(colleague, 'Busy'), await base(colleague, 'Next')];
    await send(colleague, busy, ['a.md', 'Osmosis.']);
    await sql(
      `INSERT INTO kb_documents (id, organization_id, knowledge_base_id, filename, content_type, size, sha256, storage_name, status)
       SELECT gen_random_uuid(), organization_id, knowledge_base_id, n::text, content_type, size, sha256, storage_name, 'pending'
       FROM kb_documents, generate_series(1, 40) n WHERE knowledge_base_id = $1`,
      [busy],
    );
    const stranger = await person(app, { organization: await foreignOrganization(app) });
    const own = await base(stranger, 'Own');
    const theirs = await send(colleague, next, ['a.md', 'Mitosis.'], ['b.md', 'Meiosis.']);
    const others = await send(stranger, own, ['a.md', 'Mitosis.']);
    await sql(`DELETE FROM kb_documents WHERE knowledge_base_id = $1 AND status = 'pending'`, [busy]);
    const jobs = await sql<{ priority: number }>(
      'SELECT priority FROM pgboss.job WHERE singleton_key = ANY ($1) ORDER BY priority',
      [[...theirs.json.items, ...others.json.items].map(({ id }) => id)],
    );
    expect(jobs.map(({ priority }) => priority)).toEqual([-5, -4, 0]);
  });
});

describe('an upload of very many files', () => {
  it('is answered before they are read, and each has its own status in the end', async () => {
    const kb = await create();
    const files = Array.from({ length: 60 }, (_, n) => [`${n}.md`, n % 20 === 7 ? '' : `Osmosis ${n}.`] as const);
    const answer = await upload(kb, ...files);
    expect([answer.status, answer.json.items.length]).toEqual([201, 60]);
    await until(async () => (await list(kb, 'failed')).total === 3);
    expect((await list(kb, 'failed')).items).toMatchObject(Array(3).fill({ error_code: 'document.empty' }));
    await until(async () => (await list(kb, 'completed')).total === 57);
  });
});

describe('storage without room', () => {
  it('answers 507 and keeps neither rows nor bytes', async () => {
    const kb = await create();
    const put = jest.spyOn(app.get(BlobStore), 'put');
    const { bind } = BlobStore.prototype.put;
    const real = bind.call(BlobStore.prototype.put, app.get(BlobStore)) as BlobStore['put'];
    let writes = 0;
    put.mockImplementation((...args) =>
      ++writes > 3 ? Promise.reject(new AppError('insufficient_storage', 'No space left')) : real(...args),
    );
    const files = Array.from({ length: 6 }, (_, n) => [`${n}.md`, `Part ${n}.`] as const);
    expect(await upload(kb, ...files)).toMatchObject({ status: 507, json: { code: 'insufficient_storage' } });
    put.mockRestore();
    expect((await teacher.api('GET', `${PATH}/${kb}/documents`)).json.total).toBe(0);
    const [{ organization_id }] = (await sql<{ organization_id: string }>(
      'SELECT organization_id FROM knowledge_bases WHERE id = $1',
      [kb],
    )) as [{ organization_id: string }];
    expect(readdirSync(join(app.dataDir, 'knowledge-bases', organization_id, kb))).toEqual([]);
    expect((await upload(kb, ...files)).json.items).toHaveLength(6);
  });
});

describe('a process that stops', () => {
  const restart = async (meanwhile = async (): Promise<unknown> => undefined): Promise<void> => {
    const { adminKey } = app;
    const { key } = teacher;
    await meanwhile();
    await app.stop();
    app = await startApp({ reset: false, dataDir, env: { INGESTION_CONCURRENCY: '1', BOOTSTRAP_ADMIN_KEY: adminKey } });
    const current = app;
    teacher = {
      ...teacher,
      api: (method, path, body, headers = {}) =>
        current.api(method, path, body, { authorization: `Bearer ${key}`, ...headers }),
    };
  };

  it('gives its document back, and the next one takes it up at once', async () => {
    const kb = await create();
    const gate = hold();
    const answer = uploading(kb, ['a.md', 'Mitosis splits a cell.']);
    await gate.arrived();
    const [row] = (await list(kb, 'processing')).items;
    await restart();
    expect(await answer).toMatchObject({ status: 201, json: { items: [{ status: 'pending' }] } });
    await completed(kb, row.id);
    expect([(await get(kb, row.id)).attempts, await deadChunks(kb)]).toEqual([1, 0]);
  });

  it('gives a document whose vectors take more than one turn another one at once', async () => {
    const kb = await create();
    jest.spyOn(app.get(ChunkEmbedder), 'embedGeneration').mockRejectedValueOnce(new EmbeddingTimeSliceEnded());
    const [slow] = (await upload(kb, ['a.md', 'Osmosis.'])).json.items;
    await completed(kb, slow.id);
    expect(await get(kb, slow.id)).toMatchObject({ attempts: 2, error: null });
  });

  it('does not leave a document that was given back while its job looked at it', async () => {
    const kb = await create();
    // Claimed by somebody else at the first look, waiting again at the second.
    jest.spyOn(DocumentScope.prototype, 'claim').mockResolvedValueOnce(null);
    const [row] = (await upload(kb, ['a.md', 'Osmosis.'])).json.items;
    await completed(kb, row.id);
    expect(await get(kb, row.id)).toMatchObject({ attempts: 1 });
  });

  it('whose jobs were lost finds the documents that wait for them', async () => {
    const kb = await create();
    const [row] = (await upload(kb, ['a.md', 'Mitosis splits a cell.'])).json.items;
    await sql(`UPDATE kb_documents SET status = 'pending' WHERE id = $1`, [row.id]);
    await restart();
    await completed(kb, row.id);
  });

  it('whose jobs were lost finds more documents than it looks at in one go', async () => {
    const kb = await create();
    await upload(kb, ['a.md', 'Osmosis.']);
    await restart(() =>
      sql(
        `INSERT INTO kb_documents (id, organization_id, knowledge_base_id, filename, content_type, size, sha256, storage_name, status)
         SELECT gen_random_uuid(), organization_id, knowledge_base_id, n::text, content_type, size, sha256, storage_name, 'pending'
         FROM kb_documents, generate_series(1, 2100) n WHERE knowledge_base_id = $1`,
        [kb],
      ),
    );
    const jobs = await sql<{ n: number }>(
      `SELECT count(DISTINCT singleton_key)::int AS n FROM pgboss.job JOIN kb_documents d ON d.id::text = singleton_key
       WHERE d.knowledge_base_id = $1`,
      [kb],
    );
    expect(jobs).toEqual([{ n: 2101 }]);
  });
});

import type { Principal } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import { type RetrievalQuery, RetrievalService } from '../../src/knowledge-bases';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { until } from '../support/until';
import { indexErrors, NO_ERRORS } from '../support/index-recount';
import { ingested } from '../support/ingested';
import { type KbServer, startKbServer } from '../support/kb-server';
import { foreignOrganization, type Person, person } from '../support/people';

let app: TestApp;
let server: KbServer;
let teacher: Person;
let colleague: Person;
let owner: Principal;
let retrieval: RetrievalService;

beforeAll(async () => {
  app = await startApp();
  server = await startKbServer();
  teacher = await person(app);
  colleague = await person(app);
  owner = { organizationId: (await teacher.api('GET', '/api/v1/me')).json.organization.id, userId: teacher.userId };
  retrieval = app.get(RetrievalService);
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

const path = '/api/v1/knowledge-bases';

async function create(who: Person, files: Record<string, string>, body: Record<string, unknown> = {}): Promise<any> {
  const kb = (await who.api('POST', path, { name: 'Course', language: 'en', ...body })).json;
  if (Object.keys(files).length === 0) return kb;
  await ingested(who, kb.id, files);
  return kb;
}
const useServer = (url: string | null) =>
  app.api('PATCH', '/api/v1/organizations/default', {
    knowledge_base: url === null ? null : { server_url: url, api_token: 'token' },
  });
const retrieve = (collections: string[], more: Partial<RetrievalQuery> = {}) =>
  retrieval.retrieve(owner, { text: 'osmosis of water', topK: 3, threshold: 0, ...more, collections });

describe('own knowledge bases', () => {
  it('are named by id or slug, ranked together, and each keeps its own best', async () => {
    const a = await create(teacher, { 'a.md': 'Osmosis moves water.', 'b.md': 'Water is wet.' });
    const b = await create(teacher, { 'c.md': 'Osmosis and water, water and osmosis.' });
    const named: string[] = [];
    const found = await retrieve([a.slug, b.id], { topK: 2, onSearch: (name) => void named.push(name) });
    // Authors know names: an id says nothing to them.
    expect(named).toEqual([a.slug, b.slug]);
    expect(found.collections).toEqual([
      { collection: a.slug, mode: 'keyword' },
      { collection: b.id, mode: 'keyword' },
    ]);
    expect(found.passages).toHaveLength(2);
    expect(found.warnings).toEqual([]);
    const each = await retrieve([a.slug, b.id], { topK: 2, grouped: true });
    expect(each.passages.map(({ source }) => source.document)).toEqual([
      expect.stringMatching(/[ab]\.md/),
      expect.stringMatching(/[ab]\.md/),
      'c.md',
    ]);
    expect(found.passages.map(({ similarity }) => similarity)).toEqual(
      [...found.passages.map(({ similarity }) => similarity)].sort((x, y) => y - x),
    );
    expect(found.passages[0]?.source).toMatchObject({
      type: 'knowledge_base',
      title: expect.stringMatching(/\.md$/),
      url: expect.stringMatching(/^\/api\/v1\/sources\?link=[0-9a-f]+$/),
      document: expect.any(String),
    });
  });

  it('named twice give each passage once', async () => {
    const kb = await create(teacher, { 'a.md': 'Osmosis.' });
    expect((await retrieve([kb.id, kb.slug])).passages).toHaveLength(1);
  });

  it('of others and of nobody are inaccessible and refuse the whole retrieval', async () => {
    const mine = await create(teacher, { 'a.md': 'Osmosis.' });
    const theirs = await create(colleague, { 'a.md': 'Osmosis.' });
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    const foreign = await create(foreigner, { 'a.md': 'Osmosis.' }, { visibility: 'organization' });
    const refs = [mine.slug, theirs.slug, theirs.id, foreign.id, foreign.slug === mine.slug ? 'nothing' : 'none', '7'];
    expect(await retrieval.inaccessible(owner, refs)).toEqual(refs.slice(1));
    for (const ref of refs.slice(1)) {
      const refusal = expect.not.stringContaining(theirs.id);
      await expect(retrieve([mine.id, ref])).rejects.toMatchObject({ code: 'not_found', detail: refusal });
    }
  });

  it('stop answering as soon as a share is taken back', async () => {
    const kb = await create(colleague, { 'a.md': 'Osmosis.' });
    await colleague.api('PUT', `${path}/${kb.id}/shares`, { users: [teacher.email] });
    expect((await retrieve([kb.id])).passages).toHaveLength(1);
    await colleague.api('PUT', `${path}/${kb.id}/shares`, { users: [] });
    await expect(retrieve([kb.id])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('with different languages are asked in one go, each in its own', async () => {
    const en = await create(teacher, { 'a.md': 'The cells divide.' });
    const es = await create(teacher, { 'b.md': 'Las células se dividen.' }, { language: 'es' });
    const found = await retrieve([en.id, es.id], { text: 'How do cells divide? ¿Cómo se dividen las células?' });
    expect(found.passages.map(({ metadata }) => metadata['filename']).sort()).toEqual(['a.md', 'b.md']);
  });

  it('are not asked after the run was cancelled', async () => {
    const kb = await create(teacher, { 'a.md': 'Osmosis.' });
    const signal = AbortSignal.abort();
    await expect(
      retrieval.retrieve(owner, { text: 'x', collections: [kb.id], topK: 1, threshold: 0, signal }),
    ).rejects.toThrow();
  });
});

describe("the organization's external server", () => {
  afterEach(() => useServer(null));

  it('answers for every reference that is no knowledge base of ours', async () => {
    const kb = await create(teacher, { 'a.md': 'Water moves by osmosis.' });
    expect((await useServer(server.url)).status).toBe(200);
    expect(await retrieval.inaccessible(owner, [kb.id, '3'])).toEqual([]);
    const { passages } = await retrieve([kb.id, '3']);
    expect(passages[0]).toMatchObject({
      similarity: 0.9,
      source: { title: 'f.md', url: `${server.url}/3/f.md`, document: 'f.md' },
    });
    expect(passages).toHaveLength(2);
  });

  it.each([
    ['https://example.edu/a?b=c', 'https://example.edu/a?b=c'],
    ['javascript:alert(1)', null],
    ['data:text/html,hi', null],
    ['//example.edu', null],
  ])('may send clients to the web only: %s', async (source_url, url) => {
    const linking = await startKbServer({ metadata: { source_url } });
    await useServer(linking.url);
    const { passages } = await retrieve(['3']);
    expect(passages[0]?.source.url).toBe(url ?? `${linking.url}/3/f.md`);
    await linking.stop();
  });

  it('never hears of a knowledge base that the owner may not read', async () => {
    const theirs = await create(colleague, { 'a.md': 'Osmosis.' });
    await useServer(server.url);
    const before = server.queries;
    await expect(retrieve([theirs.id, '3'])).rejects.toMatchObject({ code: 'not_found' });
    expect(server.queries).toBe(before);
  });

  it('is reported and skipped when it is down, and fails the retrieval when nothing else answers', async () => {
    const kb = await create(teacher, { 'a.md': 'Osmosis moves water.' });
    await useServer('http://127.0.0.1:9');
    const { passages, warnings, collections } = await retrieve([kb.id, '3']);
    expect(passages).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('Collection 3')]);
    expect(collections[1]).toMatchObject({ collection: '3', error: expect.any(String) });
    await expect(retrieve(['3', '4'])).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it('is asked for all collections at once', async () => {
    const slow = await startKbServer({ delayMs: 300 });
    await useServer(slow.url);
    await retrieve(['1', '2', '3', '4', '5']);
    expect(slow.most).toBe(5);
    await slow.stop();
  });
});

const recount = async (): Promise<void> => expect(await indexErrors(app.get(DataSource))).toEqual(NO_ERRORS);

/** A busy database refuses some with 503; a client asks again. */
const asked = (send: () => Promise<ApiAnswer>): Promise<ApiAnswer> =>
  until(async () => {
    const answer = await send();
    return answer.status === 503 ? null : answer;
  });

it('keeps its figures exact under concurrent uploads, replacements and deletions', async () => {
  const kb = await create(teacher, {});
  const words = ['osmosis', 'water', 'cell', 'light', 'membrane', 'energy'];
  const text = (seed: number): string =>
    Array.from({ length: 40 }, (_, n) => words[(n * seed + seed) % words.length]).join(' ');
  const to = `${path}/${kb.id}/documents`;
  const statuses = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const name = `d${n % 5}.md`;
      const files = (): FormData => filesForm([name, text(n + 1)], [`own-${n}.md`, text(n + 2)]);
      const { status, json } = await asked(() => teacher.api('POST', to, files()));
      if (n % 3 !== 0) return status;
      return (await asked(() => teacher.api('DELETE', `${to}/${json.items[1].id}`))).status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([201, 204]));
  const left = await until(async () => {
    const { json } = await teacher.api('GET', `${to}?limit=100`);
    return json.items.every(({ status }: { status: string }) => status === 'completed') ? json : null;
  }, 120_000);
  await recount();
  expect(left.total).toBe(5 + 16);
  expect((await teacher.api('DELETE', `${path}/${kb.id}`)).status).toBe(204);
  await recount();
}, 240_000);

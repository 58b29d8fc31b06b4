import type { Caller, Principal } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import {
  CallScope,
  type PipelineTool,
  SEQUENTIAL_TEXTS,
  ToolInvoker,
  type ToolOutcome,
  ToolStatistics,
} from '../../src/tools';
import { filesForm, startApp, type TestApp } from '../support/app';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';

const BASES = '/api/v1/knowledge-bases';
const QUERY = 'How does water move?';

let app: TestApp;
let teacher: Person;
let colleague: Person;
let owner: Principal;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  const organizationId: string = (await teacher.api('GET', '/api/v1/me')).json.organization.id;
  owner = { organizationId, userId: teacher.userId };
});
afterAll(() => app.stop());

const callerOf = ({ userId }: Person): Caller => ({
  organizationId: owner.organizationId,
  userId,
  kind: 'api_key',
  credentialId: null,
  organizationSlug: 'default',
  role: 'member',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
});

async function call(
  plugin: string,
  config: PipelineTool['config'],
  { as = owner, asks = teacher }: { as?: Principal; asks?: Person } = {},
): Promise<Extract<ToolOutcome, { status: 'completed' }>> {
  const scope = new CallScope(new AbortController().signal);
  const outcome = await app.get(ToolInvoker).invoke(
    {
      index: 0,
      plugin,
      placeholder: '1_context',
      enabled: true,
      config,
      on_error: 'continue',
      timeout_ms: null,
      retries: null,
      cache: true,
      depends_on: [],
      on_dependency_failure: 'skip',
      when: null,
      fallback: null,
    },
    { query: QUERY, messages: [{ role: 'user', content: QUERY }] },
    {
      scope,
      owner: as,
      caller: callerOf(asks),
      assistantId: 7,
      connector: 'auto',
      runId: 'run',
      texts: SEQUENTIAL_TEXTS,
      emit: () => undefined,
      prompt: () => '',
      results: () => new Map(),
    },
  );
  scope.close();
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  return outcome;
}

describe('results of a search', () => {
  let id: string;
  const search = (more?: Parameters<typeof call>[2]) => call('simple_rag', { collections: [id] }, more);

  beforeEach(async () => {
    id = (await teacher.api('POST', BASES, { name: 'Biology', language: 'en' })).json.id;
    await ingested(teacher, id, { 'osmosis.md': '# Osmosis\n\nWater moves through the membrane.\n' });
  });

  it('are kept until the knowledge base changes', async () => {
    expect(await search()).toMatchObject({ cached: false });
    expect(await search()).toMatchObject({ cached: true });

    await ingested(teacher, id, { 'rain.md': '# Rain\n\nWater moves down from clouds.\n' });
    const both = await search();
    expect(both).toMatchObject({ cached: false });
    expect(both.sources).toHaveLength(2);
    expect(await search()).toMatchObject({ cached: true });

    await ingested(teacher, id, { 'rain.md': '# Rain\n\nWater moves up as well.\n' });
    expect((await search()).content).toContain('up as well');

    await teacher.api('PATCH', `${BASES}/${id}`, { name: 'Life' });
    const renamed = await search();
    expect(renamed).toMatchObject({ cached: false });
    expect(renamed.sources[0]).toMatchObject({ knowledge_base: { name: 'Life' } });

    const { items } = (await teacher.api('GET', `${BASES}/${id}/documents`)).json;
    const rain = items.find(({ filename }: { filename: string }) => filename === 'rain.md');
    await teacher.api('DELETE', `${BASES}/${id}/documents/${rain.id}`);
    const one = await search();
    expect(one).toMatchObject({ cached: false });
    expect(one.sources).toHaveLength(1);
  });

  it('are somebody else’s with a link of their own that opens', async () => {
    const mine = await search();
    const theirs = await search({ asks: colleague });
    expect(theirs).toMatchObject({ cached: true, content: mine.content });
    const [link, other] = [mine, theirs].map(({ sources }) =>
      sources[0]?.type === 'knowledge_base' ? sources[0].url : '',
    );
    expect(link).not.toBe(other);
    expect(other).toMatch(/sources\?link=/);
  });

  it('keep their citations where links stand in the text', async () => {
    const config = { collections: [id], sources_in_prompt: 'lamb' };
    const mine = await call('simple_rag', config);
    const theirs = await call('simple_rag', config, { asks: colleague });
    const [source] = theirs.sources;
    expect(theirs).toMatchObject({ cached: true, citations: mine.citations });
    expect(theirs.content).toContain(source?.type === 'knowledge_base' ? source.url : 'no link');
    expect(theirs.content).toHaveLength(mine.content.length);
  });

  it('are not given to an owner whose share has ended', async () => {
    const as: Principal = { ...owner, userId: colleague.userId };
    await teacher.api('PUT', `${BASES}/${id}/shares`, { users: [colleague.userId] });
    await search({ as });
    expect(await search({ as })).toMatchObject({ cached: true });
    await teacher.api('PUT', `${BASES}/${id}/shares`, { users: [] });
    await expect(search({ as })).rejects.toThrow('tool.inaccessible');
  });
});

it('a file is read anew when it was replaced, and not at all when it is gone', async () => {
  const upload = (text: string) => teacher.api('POST', '/api/v1/files', filesForm(['guide.md', text]));
  const read = () => call('single_file_rag', { file_path: 'guide.md' });
  const { json } = await upload('first');
  expect(await read()).toMatchObject({ cached: false, content: 'first' });
  expect(await read()).toMatchObject({ cached: true, content: 'first' });
  await upload('other');
  expect(await read()).toMatchObject({ cached: false, content: 'other' });
  await teacher.api('DELETE', `/api/v1/files/${json.items?.[0].id ?? json[0]?.id}`);
  await expect(read()).rejects.toThrow('tool.inaccessible');
});

it('the catalogue shows the figures of the organization', async () => {
  await app.get(ToolStatistics).flush();
  const { tools } = (await teacher.api('GET', '/api/v1/tools')).json;
  const searched = tools.find(({ name }: { name: string }) => name === 'simple_rag');
  expect(searched.stats).toMatchObject({ calls: expect.any(Number), failure_rate: 0, p95_ms: expect.any(Number) });
  expect(searched.stats.calls).toBeGreaterThan(0);
  expect(searched.stats.confidence).toBeGreaterThan(0);
  const [row] = await app
    .get(DataSource)
    .query<{ hits: number }[]>(`SELECT cache_hits AS hits FROM tool_stats WHERE plugin = 'simple_rag'`);
  expect(row?.hits).toBeGreaterThan(0);
});

import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

describe('the door of LAMB’s clients', () => {
  let app: TestApp;
  let upstream: Upstream;
  let id: number;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-lamb-1' } });
    id = await makeAssistant(app);
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const get = (path: string) => app.api('GET', `/lamb/v1/completions${path}`);

  it('lists processors, connectors and tools by name', async () => {
    const { status, json } = await get('/list');
    expect(status).toBe(200);
    expect(json.prompt_processors).toContain('simple_augment');
    expect(json.rag_processors).toEqual(
      expect.arrayContaining(['no_rag', 'simple_rag', 'rubric_rag', 'single_file_rag']),
    );
    expect(json.connectors.openai).toEqual({ name: 'openai', available_llms: ['gpt-4o-mini'] });
    expect(json.connectors.anthropic).toEqual({ name: 'anthropic', available_llms: [] });
    for (const name of ['simple_rag', 'rubric_rag', 'single_file_rag']) {
      expect(json.tools).toContainEqual(
        expect.objectContaining({ name, description: expect.any(String), config_schema: expect.any(Object) }),
      );
    }
    expect(json.tools).toEqual((await get('/tools')).json.tools);
  });

  it('describes tools and strategies', async () => {
    const { json } = await get('/tools');
    expect(json.count).toBe(json.tools.length);
    expect(json.tools.find(({ name }: { name: string }) => name === 'simple_rag')).toMatchObject({
      placeholder: 'context',
      category: expect.any(String),
      config_schema: expect.any(Object),
    });
    expect((await get('/tools/rubric')).json.name).toBe('rubric_rag');
    const unknown = await get('/tools/simple_rg');
    expect([unknown.status, unknown.json.error.message]).toEqual([404, expect.stringContaining('simple_rag')]);
    const names = (await get('/orchestrators')).json.orchestrators.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['sequential', 'parallel']));
  });

  it('checks a config and answers with strings', async () => {
    const check = (config: object) => app.api('POST', '/lamb/v1/completions/tools/simple_rag/validate', config);
    expect((await check({ collections: ['a'], top_k: 3 })).json).toEqual({ valid: true, errors: [] });
    const bad = (await check({ collections: ['a'], top_k: 99 })).json;
    expect(bad.valid).toBe(false);
    expect(bad.errors).toEqual([expect.stringMatching(/^top_k: /)]);
  });

  it.each(['assistant', 'assistant_id'])(
    'completes with %s in the query, with a slash before it or not',
    async (name) => {
      for (const path of ['/lamb/v1/completions', '/lamb/v1/completions/']) {
        upstream.expect({ content: 'From LAMB.' }).expect({ content: 'Streamed.' });
        const plain = await app.api('POST', `${path}?${name}=${id}`, { messages: [user('Hi')] });
        expect(plain.json.choices[0].message.content).toBe('From LAMB.');
        expect((await streamed(app, `${path}?${name}=${id}`, { messages: [user('Hi')] })).text).toBe('Streamed.');
      }
      upstream.verify();
    },
  );

  it('takes a prompt in place of messages, as LAMB does', async () => {
    upstream.expect({ content: 'One.' }).expect({ content: 'Two.' });
    const one = await app.api('POST', `/lamb/v1/completions?assistant=${id}`, { prompt: 'Hi' });
    const two = await app.api('POST', '/chat/completions', { model: `${id}`, params: { prompt: ['Hi', 'there'] } });
    expect([one, two].map(({ json }) => json.choices[0].message.content)).toEqual(['One.', 'Two.']);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain('Hi there');
    upstream.verify();
  });

  it('refuses without an assistant, with a wrong one, and without a credential', async () => {
    const body = { messages: [user('Hi')] };
    expect((await app.api('POST', '/lamb/v1/completions', body)).status).toBe(400);
    expect((await app.api('POST', '/lamb/v1/completions?assistant=999999', body)).status).toBe(404);
    expect((await app.api('POST', '/lamb/v1/completions?assistant=x', body)).status).toBe(404);
    const anonymous = await app.api('POST', `/lamb/v1/completions?assistant=${id}`, body, {
      authorization: 'Bearer x',
    });
    expect(anonymous.status).toBe(401);
    expect((await fetch(`${app.url}/lamb/v1/completions/tools`)).status).toBe(401);
  });
});

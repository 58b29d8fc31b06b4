import OpenAI from 'openai';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';
import { type RerankServer, startRerankServer } from '../support/rerank-server';
import { startTranslateServer, type TranslateServer } from '../support/translate-server';
import { startUpstream, type Upstream } from '../support/upstream';
import type { UpstreamRequest } from '../support/upstream.types';

const FAST = 'fast-model';
const LEAF = `# Leaves

Chlorophyll absorbs light in the thylakoid membrane of the chloroplast, which is where photosynthesis begins.

The stroma around it holds the enzymes of the Calvin cycle, and sugar is put together there out of carbon dioxide.

Stomata are the openings on the lower side; they let the gas in and water vapour out, and close at night.

# Roots

Root hairs take up water and dissolved minerals from the soil, and hand both on to the vessels inside.
`;
const CONVERSATION = [
  user('What is photosynthesis?'),
  { role: 'assistant', content: 'How plants make sugar.' },
  user('And where does it happen?'),
];

let app: TestApp;
let upstream: Upstream;
let admin: Person;
let base: string;

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    env: {
      OPENAI_BASE_URL: upstream.url,
      OPENAI_API_KEY: 'sk-canary-retrieval-1',
      RERANK_TIMEOUT: '300',
      TRANSLATE_TIMEOUT: '300',
    },
  });
  admin = { ...(await person(app)), api: app.api };
  base = await knowledgeBase('Botany', { 'leaf.md': LEAF, 'copy.md': LEAF });
});
beforeEach(async () => {
  upstream.reset();
  upstream.always({ content: 'In the chloroplast [1].' });
  await fastModel(FAST);
});
afterEach(() => upstream.verify());
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

async function knowledgeBase(name: string, files: Record<string, string>, language = 'en'): Promise<string> {
  const body = { name, language, chunk_size: 200, chunk_overlap: 0 };
  const { json } = await app.api('POST', '/api/v1/knowledge-bases', body);
  await ingested(admin, json.id, files);
  return json.id;
}

const fastModel = (model: string | null) =>
  app.api('PATCH', '/api/v1/organizations/default', { providers: { openai: { fast_model: model } } });

/** Without kept results: these tests look at how each one is found. */
const multiTool = (config: object) =>
  makeAssistant(app, {
    prompt_template: '{1_context}\n{user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      tools: [
        { plugin: 'simple_rag', placeholder: '1_context', cache: false, config: { collections: [base], ...config } },
      ],
    },
  });

const classic = (rag_processor: string) =>
  makeAssistant(app, {
    prompt_template: '{context}\n{user_input}',
    metadata: { rag_processor, prompt_processor: 'simple_augment' },
    RAG_collections: base,
    RAG_Top_k: 2,
  } as object);

const complete = (assistant: number, more: object = {}) =>
  app.api('POST', `/api/v1/assistants/${assistant}/completions`, { messages: CONVERSATION, ...more });

const calls = (model: string): UpstreamRequest[] => upstream.requests.filter(({ body }) => body.model === model);
const lastPrompt = (): string => String(calls('gpt-4o-mini').at(-1)?.body.messages?.at(-1)?.content);

describe('a question that the conversation explains', () => {
  it('is put to the knowledge base as the fast model words it, in streams and whole answers alike', async () => {
    upstream.forModel(FAST, { content: '"Where in the chloroplast does photosynthesis begin?"' });
    const assistant = await multiTool({ rewrite_query: true, sources_in_prompt: 'numbered', top_k: 2 });
    const whole = await complete(assistant);
    const prompt = lastPrompt();
    expect(prompt).toContain('[1] ');
    expect(prompt).toContain('thylakoid membrane');
    expect(prompt).not.toContain('begin?');
    const [asked] = calls(FAST);
    expect(asked?.body).toMatchObject({ temperature: 0, max_tokens: 200 });
    expect(JSON.stringify(asked?.body.messages)).toContain('And where does it happen?');

    const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: app.adminKey, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: `lamb_assistant.${assistant}`,
      messages: CONVERSATION as OpenAI.ChatCompletionMessageParam[],
      stream: true,
    });
    let text = '';
    let sources: any[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      sources = (chunk as unknown as { sources?: any[] }).sources ?? sources;
    }
    expect(text).toBe('In the chloroplast [1].');
    expect(lastPrompt()).toBe(prompt);
    const withoutLink = (each: any) => ({ ...each, url: null });
    expect(sources.map(withoutLink)).toEqual(whole.json.sources.map(withoutLink));
    expect(sources[0]).toEqual({
      type: 'knowledge_base',
      title: expect.stringMatching(/leaf|copy/),
      url: expect.stringContaining('/api/v1/sources?link='),
      similarity: expect.any(Number),
      document: expect.stringMatching(/leaf|copy/),
      section: 'Leaves',
      document_id: expect.any(String),
      knowledge_base: { id: base, name: 'Botany' },
      n: 1,
    });
  });

  it('is told to editors in the report, as it was asked', async () => {
    upstream.forModel(FAST, { content: 'thylakoid membrane in photosynthesis' });
    const { json } = await complete(await multiTool({ rewrite_query: true }), { verbose: true });
    expect(json.choices[0].message.content).toContain('- **Query:** thylakoid membrane in photosynthesis');
    expect(json.choices[0].message.content).toContain('- **Knowledge Base:** Botany');
  });

  it('is the last user text where no model is configured, or it fails, which the run tells', async () => {
    const assistant = await multiTool({ rewrite_query: true });
    await fastModel(null);
    expect((await complete(assistant)).status).toBe(200);
    expect(calls(FAST)).toEqual([]);
    await fastModel(FAST);
    upstream.forModel(FAST, { fault: 'unauthorized' });
    const answer = await streamed(app, `/api/v1/assistants/${assistant}/completions`, {
      messages: CONVERSATION,
      stream_options: { progress: 'chunk' },
    });
    const warnings = answer.chunks.flatMap(({ progress }) => (progress?.type === 'warning' ? [progress] : []));
    expect(warnings).toMatchObject([
      {
        code: 'tool.degraded',
        message: expect.stringContaining('the question was not rewritten: the fast model failed'),
      },
    ]);
    expect(answer.text).toBe('In the chloroplast [1].');
  });

  it('is given up with the client that asked it', async () => {
    upstream.forModel(FAST, { content: 'late', firstDelayMs: 5_000 });
    const assistant = await multiTool({ rewrite_query: true });
    const leaving = new AbortController();
    const request = fetch(`${app.url}/api/v1/assistants/${assistant}/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: CONVERSATION }),
      signal: leaving.signal,
    });
    await until(() => calls(FAST).length === 1);
    leaving.abort();
    await expect(request).rejects.toThrow();
    await calls(FAST)[0]?.closedEarly;
    expect(calls('gpt-4o-mini')).toEqual([]);
  });
});

describe('whole sections', () => {
  it('stand in the prompt once, whatever many chunks of them match and documents repeat them', async () => {
    const assistant = await multiTool({ parent: true, sources_in_prompt: 'numbered', top_k: 5 });
    const { json } = await complete(assistant, { messages: [user('light sugar stomata chlorophyll soil')] });
    const prompt = lastPrompt();
    for (const part of ['Chlorophyll absorbs', 'The stroma', 'Stomata are', 'Root hairs']) {
      expect(prompt.split(part)).toHaveLength(2);
    }
    expect(json.sources.map(({ section, n }: any) => [section, n])).toEqual([
      ['Leaves', 1],
      ['Roots', 2],
    ]);
    expect(prompt.match(/\[\d+\] /g)).toEqual(['[1] ', '[2] ']);
  });

  it('keep to the token budget, which the run tells', async () => {
    const assistant = await multiTool({ parent: true, max_tokens: 100, top_k: 5 });
    const answer = await streamed(app, `/api/v1/assistants/${assistant}/completions`, {
      messages: [user('light sugar stomata chlorophyll')],
      stream_options: { progress: 'chunk' },
    });
    const told = answer.chunks.flatMap(({ progress }) => (progress?.type === 'warning' ? [progress.message] : []));
    expect(told[0]).toMatch(/the best passage was cut to the token budget$/);
    expect(lastPrompt()).toContain('Chlorophyll absorbs');
    expect(lastPrompt()).not.toContain('close at night');
  });
});

describe("LAMB's RAG processors", () => {
  it('are all in the catalogue', async () => {
    const names = (await app.api('GET', '/api/v1/rag-processors')).text;
    for (const name of ['simple_rag', 'context_aware_rag', 'hierarchical_rag']) expect(names).toContain(`"${name}"`);
  });

  it('simple_rag asks the question as it stands and repeats what documents repeat', async () => {
    await complete(await classic('simple_rag'), { messages: [user('What does chlorophyll absorb?')] });
    expect(lastPrompt().split('Chlorophyll absorbs')).toHaveLength(3);
    expect(calls(FAST)).toEqual([]);
  });

  it('context_aware_rag asks what the conversation leads to', async () => {
    upstream.forModel(FAST, { content: 'Calvin cycle enzymes of photosynthesis' });
    await complete(await classic('context_aware_rag'));
    expect(lastPrompt()).toContain('Calvin cycle');
    expect(lastPrompt()).not.toContain('close at night');
  });

  it('hierarchical_rag returns the sections of what it finds', async () => {
    upstream.forModel(FAST, { content: 'Calvin cycle enzymes of photosynthesis' });
    const { json } = await complete(await classic('hierarchical_rag'));
    expect(lastPrompt()).toContain('close at night');
    expect(json.sources.length).toBeGreaterThan(0);
  });

  it('check the knowledge bases of an assistant when it is saved', async () => {
    for (const rag_processor of ['context_aware_rag', 'hierarchical_rag']) {
      const refused = await app.api('POST', '/api/v1/assistants', {
        name: 'Tutor',
        metadata: { rag_processor },
        RAG_collections: 'nobody-has-this',
      });
      expect(refused.json.diagnostics).toContainEqual(
        expect.objectContaining({ path: 'RAG_collections[0]', code: 'tool.inaccessible' }),
      );
    }
  });
});

it('a mode that a knowledge base cannot serve is a warning at save', async () => {
  const { json } = await app.api('POST', '/api/v1/assistants/validate', {
    template: '{1_context}{user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', config: { collections: [base], mode: 'vector' } }],
    },
  });
  expect(json.diagnostics).toContainEqual({
    severity: 'warning',
    code: 'tool.degraded',
    path: 'metadata.tools[0].config.collections[0]',
    message: expect.stringContaining('it has no embedding model'),
  });
});

describe('a question without a fast model', () => {
  beforeEach(() => fastModel(null));

  it('takes the topics that it lacks from the one before', async () => {
    await complete(await multiTool({ top_k: 1 }), { messages: CONVERSATION });
    expect(lastPrompt()).toContain('photosynthesis begins');
    expect(lastPrompt()).not.toContain('Note:');
  });

  it('that only thanks is searched for nowhere', async () => {
    const { json } = await complete(await multiTool({}), { messages: [user('Thanks, that was great!')] });
    expect(lastPrompt().trim()).toBe('Thanks, that was great!');
    expect(json.sources).toEqual([]);
  });

  it('that nothing fits is told to the model, in the report and in the record', async () => {
    const messages = [user('Who won the football championship of the openings?')];
    const { json } = await complete(await multiTool({}), { messages, verbose: true });
    expect(json.choices[0].message.content).toContain('- **Match:** weak (');
    const answer = await streamed(app, `/api/v1/assistants/${await multiTool({})}/completions`, {
      messages,
      stream_options: { progress: 'chunk' },
    });
    expect(lastPrompt()).toMatch(/^\s*Note: the passages below share few words with the question\./);
    const told = answer.chunks.flatMap(({ progress }) => (progress?.type === 'tool.completed' ? [progress] : []));
    expect(told).toMatchObject([{ search: { match: { strength: expect.any(Number), weak: true } } }]);
    const runId = answer.chunks.find(({ run_id }: any) => run_id !== undefined)?.run_id;
    const run = await until(async () => {
      const { status, json: record } = await app.api('GET', `/api/v1/runs/${runId}`);
      return status === 200 && record.tools.length > 0 ? record : null;
    });
    expect(run.tools).toMatchObject([{ search: { match: { weak: true } } }]);
  });
});

describe('an assistant that answers only from its material', () => {
  beforeEach(() => fastModel(null));

  const only = (connector: string) =>
    makeAssistant(app, {
      prompt_template: '{1_context}\n{user_input}',
      system_prompt: 'You help students with botany.',
      metadata: {
        assistant_type: 'multi_tool',
        only_from_material: true,
        connector,
        tools: [{ plugin: 'simple_rag', placeholder: '1_context', config: { collections: [base] } }],
      },
    });

  it.each(['auto', 'quotes'])(
    'says so without asking %s where nothing fits, in the language of the question',
    async (connector) => {
      const assistant = await only(connector);
      const asked = await complete(assistant, {
        messages: [user('¿Quién ganó el campeonato de fútbol del año pasado?')],
      });
      expect(asked.json.choices[0].message.content).toBe('El material de este asistente no responde a esta pregunta.');
      expect(asked.json.sources).toEqual([]);
      const answer = await streamed(app, `/api/v1/assistants/${assistant}/completions`, {
        messages: [user('Who won the football championship last year?')],
      });
      expect(answer.text).toBe('The material of this assistant does not answer this question.');
      expect(upstream.requests).toEqual([]);
    },
  );

  it('tells the model to add nothing where something fits', async () => {
    await complete(await only('auto'), { messages: [user('What does chlorophyll absorb?')] });
    const [system] = calls('gpt-4o-mini').at(-1)?.body.messages ?? [];
    expect(system?.content).toBe(
      'You help students with botany.\n\nAnswer only from the material in this conversation. If it does not hold the answer, say so and add nothing of your own.',
    );
  });

  it('has a flag, not a text', async () => {
    const { status, json } = await app.api('POST', '/api/v1/assistants', {
      name: 'Tutor',
      metadata: { assistant_type: 'multi_tool', only_from_material: 'yes' },
    });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([{ path: 'metadata.only_from_material' }]);
  });
});

it('a question in another language is worded in that of the material', async () => {
  upstream.forModel(FAST, { content: 'What does chlorophyll absorb?' });
  const { json } = await complete(await multiTool({ top_k: 1 }), {
    messages: [user('¿Qué absorbe el pigmento verde de las plantas?')],
    verbose: true,
  });
  const report = json.choices[0].message.content;
  expect(report).toContain('- **Languages:** question es, material en; bridged by rewriter');
  expect(report).toContain('Chlorophyll absorbs light');
  expect(JSON.stringify(calls(FAST)[0]?.body.messages)).toContain('Write it in English');
});

describe('a reranker', () => {
  let vendor: RerankServer;
  /** A model of its own each time: one that failed is not asked for a while. */
  let models = 0;

  beforeAll(async () => {
    vendor = await startRerankServer();
  });
  beforeEach(async () => {
    vendor.answer = null;
    vendor.score = (text) => (text.includes('Stomata') ? 0.9 : 0.1);
    await configure({ dialect: 'cohere', url: vendor.url, api_key: 'sk-canary-rerank', model: `m${(models += 1)}` });
  });
  afterAll(async () => {
    await configure(null);
    await vendor.stop();
  });

  const configure = (reranker: object | null) =>
    app.api('PATCH', '/api/v1/organizations/default', { reranker }).then(({ json }) => json);
  const ask = async (more: object = {}): Promise<any> => {
    const body = { query: 'How do light, gas and water get into leaves?', top_k: 3, ...more };
    return (await app.api('POST', `/api/v1/knowledge-bases/${base}/query`, body)).json;
  };
  const texts = ({ results }: any): string[] => results.map(({ data }: any) => data);

  it('of the organization sorts what was found, where a knowledge base or a query wants it', async () => {
    const before = texts(await ask());
    expect(vendor.asked).toHaveLength(0);
    const sorted = await ask({ rerank: true });
    expect(texts(sorted)[0]).toContain('Stomata');
    expect(sorted.results[0].metadata.relevance).toBe(0.9);
    expect(vendor.asked).toMatchObject([{ path: '/v2/rerank', authorization: 'Bearer sk-canary-rerank' }]);
    await app.api('PATCH', `/api/v1/knowledge-bases/${base}`, { rerank: true });
    expect(texts(await ask())).toEqual(texts(sorted));
    expect(texts(await ask({ rerank: false }))).toEqual(before);
    await app.api('PATCH', `/api/v1/knowledge-bases/${base}`, { rerank: false });
  });

  it.each<[string, () => void, string]>([
    ['hangs', () => (vendor.score = () => null), 'took too long'],
    ['lies', () => (vendor.answer = '{"results":[{"index":77,"relevance_score":1}]}'), 'gave an unusable answer'],
  ])('that %s changes nothing, and people are told', async (_, fail, why) => {
    const before = texts(await ask());
    fail();
    const answer = await ask({ rerank: true });
    expect(texts(answer)).toEqual(before);
    expect(answer.warnings).toEqual([
      `The reranker ${why}: the passages stay in the order in which the search found them`,
    ]);
    await configure({ model: `m${(models += 1)}` });
    const assistant = await multiTool({ rerank: true });
    const messages = [user('How do light, gas and water get into leaves?')];
    const { json } = await complete(assistant, { messages, verbose: true });
    expect(json.choices[0].message.content).toContain(`The reranker ${why}`);
  });

  it('is tested with two short texts', async () => {
    const test = (body: object) => app.api('POST', '/api/v1/organizations/default/reranker/test', body);
    expect((await test({})).json).toMatchObject({ ok: true, status: null });
    expect(vendor.asked.at(-1)?.body.documents).toHaveLength(2);
    vendor.answer = '[]';
    expect((await test({ model: 'another' })).json).toMatchObject({ ok: false, code: 'upstream_bad_response' });
  });

  it('is shown without its key, and loses it with a new address', async () => {
    expect((await configure({ url: `${vendor.url}/v2` })).reranker).toEqual({
      dialect: 'cohere',
      url: `${vendor.url}/v2`,
      model: `m${models}`,
      api_key_configured: false,
    });
    expect(await configure({ dialect: 'other' })).toMatchObject({ errors: [{ path: 'reranker.dialect' }] });
    expect(await configure({ url: 'http://10.0.0.1' })).toMatchObject({
      code: 'outbound_refused',
      errors: [{ path: 'reranker.url' }],
    });
  });
});

describe('a name in a short question', () => {
  let catalan: string;
  beforeAll(async () => {
    const text = "Els amics van crear l'Acadèmia Matisse.\n\n## Òpera\n\nGiulia està casada secretament amb Dorville.";
    catalan = await knowledgeBase('Art', { 'art.md': text }, 'ca');
  });

  it.each([
    ['Matisse', 'has the stem of a stop word', 'Acadèmia'],
    ['Dorville', 'is taken for a word of another language', 'Giulia'],
    ['Per on puja Dorville?', 'is taken for a question in another language', 'Giulia'],
  ])('is found: "%s", which %s', async (query, _, found) => {
    const { json } = await app.api('POST', `/api/v1/knowledge-bases/${catalan}/query`, { query, top_k: 1 });
    expect(json.results[0]?.data).toContain(found);
  });
});

describe('a translator', () => {
  const QUESTION = '¿Qué absorbe el pigmento verde de las plantas en las hojas?';
  let server: TranslateServer;

  beforeAll(async () => {
    server = await startTranslateServer();
  });
  beforeEach(() => fastModel(null));
  afterAll(async () => {
    await configure(null);
    await server.stop();
  });

  const configure = (translator: object | null) =>
    app.api('PATCH', '/api/v1/organizations/default', { translator }).then(({ json }) => json);
  const ask = async (query: string): Promise<any> =>
    (await app.api('POST', `/api/v1/knowledge-bases/${base}/query`, { query, top_k: 1 })).json;

  it('of the organization brings a question into the language of the material, without its key in any answer', async () => {
    expect((await ask(QUESTION)).match).toMatchObject({ weak: true });
    server.translate = () => 'What does chlorophyll absorb?';
    const { translator } = await configure({ dialect: 'libretranslate', url: server.url, api_key: 'sk-canary-mt' });
    expect(translator).toEqual({ dialect: 'libretranslate', url: server.url, api_key_configured: true });
    const { results, languages, warnings } = await ask(QUESTION);
    expect(results[0].data).toContain('Chlorophyll absorbs light');
    expect([languages, warnings]).toEqual([{ question: 'es', material: ['en'], bridge: 'translator' }, []]);
    expect(server.asked).toEqual([QUESTION]);
    await complete(await multiTool({ top_k: 1 }), { messages: [user(QUESTION)] });
    expect(lastPrompt()).toContain('Chlorophyll absorbs light');
    expect(lastPrompt()).toContain(QUESTION);
  });

  it('is tested with one sentence, which is shown', async () => {
    const test = (body: object) => app.api('POST', '/api/v1/organizations/default/translator/test', body);
    server.translate = () => '¿Qué necesitan las plantas?';
    expect((await test({})).json).toMatchObject({ ok: true, translation: '¿Qué necesitan las plantas?' });
    server.translate = () => '%%%';
    expect((await test({ dialect: 'libretranslate', url: server.url })).json).toMatchObject({
      ok: false,
      translation: null,
    });
  });

  it.each<[string, (text: string) => string | null, string]>([
    ['lies', (text) => text, 'gave the question back in its own language'],
    ['answers rubbish', () => '%%%', 'gave an unusable answer'],
    ['hangs', () => null, 'took too long'],
  ])('that %s is ignored, and the report says so', async (what, translate, why) => {
    server.translate = translate;
    const warning = `The translator ${why}: the question was searched for in its own words`;
    const asked = `${QUESTION} (${what})`;
    expect(await ask(asked)).toMatchObject({ languages: { bridge: null }, warnings: [warning] });
    const { json } = await complete(await multiTool({ top_k: 1 }), { messages: [user(asked)], verbose: true });
    expect(json.choices[0].message.content).toContain(warning);
    expect(json.choices[0].message.content).toContain('question es, material en; not translated');
  });
});

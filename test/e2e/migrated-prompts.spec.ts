import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

const FAST = 'fast-model';
const MODEL = 'gpt-4o-mini';
const LEAF = `# Leaves

Chlorophyll absorbs light in the thylakoid membrane of the chloroplast, which is where photosynthesis begins.

The stroma around it holds the enzymes of the Calvin cycle, and sugar is put together there out of carbon dioxide.
`;
const LIGHT = `# Light

Red and blue light are absorbed by the chlorophyll of a leaf, {context} and $& are not.

Green light is thrown back, which is why a leaf is green.
`;
const TEMPLATE = '<material>{context}</material>\nQ: {user_input} \\frac{a}{b} {"k": {}} {name}';
const RUBRIC = {
  rubricId: 'migrated-prompts-1',
  title: 'Essay',
  description: 'How essays are judged.',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 4,
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Is it clear?',
      weight: 100,
      levels: [
        { id: 'l1', score: 4, label: 'Exemplary', description: 'clear' },
        { id: 'l2', score: 1, label: 'Beginning', description: 'unclear' },
      ],
    },
  ],
};
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const QUESTIONS = [
  [user('Which light does the chlorophyll of a leaf absorb? {context} $&')],
  [user('What is in a leaf?'), { role: 'assistant', content: 'Chlorophyll.' }, user('And which light does it absorb?')],
  [{ role: 'user', content: [{ type: 'text', text: 'Is this a leaf?' }, IMAGE] }],
];

/** Nothing here is stubbed below the model: modules, index, links, files. */
describe('prompts of migrated assistants', () => {
  let app: TestApp;
  let upstream: Upstream;
  const content = { bases: '', rubric: '', file: 'migrated-guide.md' };

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-migrated-1' } });
    await app.api('PATCH', '/api/v1/organizations/default', { providers: { openai: { fast_model: FAST } } });
    const admin: Person = { ...(await person(app)), api: app.api };
    const bases: string[] = [];
    for (const [name, text] of Object.entries({ Leaves: LEAF, Light: LIGHT })) {
      const body = { name, language: 'en', chunk_size: 200, chunk_overlap: 0 };
      const { json } = await app.api('POST', '/api/v1/knowledge-bases', body);
      await ingested(admin, json.id, { [`${name}.md`]: text });
      bases.push(json.id);
    }
    content.bases = bases.join(', ');
    content.rubric = (await app.api('POST', '/api/v1/rubrics', RUBRIC)).json.id;
    await app.api('POST', '/api/v1/files', filesForm([content.file, `Be kind. {user_input} ${'x'.repeat(60_000)}`]));
  }, 60_000);
  beforeEach(() => {
    upstream.reset();
    upstream.always({ content: 'Which light does chlorophyll absorb?' });
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  /** What the model was sent for each question, and the sources; links are signed by the second. */
  async function prompts(assistant: number): Promise<string[]> {
    const seen: string[] = [];
    for (const messages of QUESTIONS) {
      const { json } = await app.api('POST', `/api/v1/assistants/${assistant}/completions`, { messages });
      const asked = upstream.requests.filter(({ body }) => body.model === MODEL).at(-1)?.body.messages;
      const told = JSON.stringify([asked, json.sources]).replace(/link=[0-9a-f]+/g, 'link');
      seen.push(told.replace(/(\\n|\s)+/g, ' '));
    }
    return seen;
  }

  it.each([
    ['no_rag', {}],
    ['simple_rag', {}],
    ['simple_rag', { prompt_processor: 'context_aware_augment', capabilities: { vision: true } }],
    ['context_aware_rag', {}],
    ['hierarchical_rag', {}],
    ['rubric_rag', { rubric_format: 'json' }],
    ['single_file_rag', { prompt_processor: 'moodle_augment' }],
  ])('of %s with %j are what they were', async (rag_processor, more) => {
    const given = { connector: 'openai', llm: MODEL, prompt_processor: 'simple_augment', rag_processor, ...more };
    const assistant = await makeAssistant(app, {
      system_prompt: 'You teach biology.',
      prompt_template: given.prompt_processor === 'moodle_augment' ? `{moodle_user} ${TEMPLATE}` : TEMPLATE,
      metadata: { ...given, rubric_id: content.rubric, file_path: content.file },
      RAG_collections: content.bases,
      RAG_Top_k: 2,
    } as object);
    const before = await prompts(assistant);
    const converted = await app.api('POST', `/api/v1/assistants/${assistant}/convert`);
    expect([converted.status, converted.json.type]).toEqual([200, 'multi_tool']);
    expect(await prompts(assistant)).toEqual(before);
    if (rag_processor !== 'no_rag') expect(before[0]).toContain('## Available Sources');
  });
});

import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, streamed, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

const json = (value: object) => ({ content: JSON.stringify(value) });

const VERDICT = {
  claims: [
    { claim: 'Leaves are green.', supported: true, pieces: [1] },
    { claim: 'The moon is cheese.', supported: false, pieces: [] },
  ],
};
const FOUND = {
  unsupported: [{ statement: 'The moon is cheese.', kind: 'not_in_material', reason: 'Nothing about the moon.' }],
  confidence: 0.3,
};
const ANSWER = 'Leaves are green. The moon is cheese.';

const FILE = { plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config: { file_path: 'notes.md' } };

describe('tools that join, search and check', () => {
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-checks-1',
        ANTHROPIC_BASE_URL: upstream.origin,
        ANTHROPIC_API_KEY: 'a-canary-checks-1',
        GOOGLE_BASE_URL: upstream.origin,
        GOOGLE_API_KEY: 'g-canary-checks-1',
        OLLAMA_BASE_URL: upstream.origin,
      },
    });
    const form = filesForm(['notes.md', 'Leaves are green because chlorophyll reflects green light.']);
    expect((await app.api('POST', '/api/v1/files', form)).status).toBeLessThan(300);
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const multiTool = (tools: object[], prompt_template: string, more: object = {}) =>
    makeAssistant(app, { prompt_template, metadata: { assistant_type: 'multi_tool', tools, ...more } });
  const body = (id: number, more: object = {}) => ({
    model: `lamb_assistant.${id}`,
    messages: [user('Why are leaves green?')],
    ...more,
  });
  const ask = (id: number, more: object = {}) => app.api('POST', '/v1/chat/completions', body(id, more));
  const runOf = async (id: string) => (await app.api('GET', `/api/v1/runs/${id}`)).json;
  const sent = (n: number) => upstream.requests[n]?.body as any;

  it('join what was found and check it before the model is asked, and count their tokens', async () => {
    const id = await multiTool(
      [
        FILE,
        { plugin: 'synthesis', placeholder: '2_synthesis', enabled: true, config: {} },
        { plugin: 'validation', placeholder: '3_validation', enabled: true, config: {} },
      ],
      'Text: {2_synthesis} Verdict: {3_validation} Question: {user_input}',
    );
    upstream
      .expect(json({ text: `${ANSWER} [[1]]`, confidence: 0.9 }))
      .expect(json(VERDICT))
      .expect({ content: 'Green.' });
    const answer = await ask(id);
    expect(answer.json.choices[0].message.content).toBe('Green.');
    expect(sent(0).response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'synthesis', strict: true },
    });
    expect(sent(0).messages[1].content).toContain('chlorophyll');
    const prompt = sent(2).messages.at(-1).content;
    expect(prompt).toContain(`${ANSWER} [1]`);
    expect(prompt).toContain('{"claim":"Leaves are green.","supported":true,"sources":[1],"results":["1_file"]}');
    expect(answer.json.sources).toMatchObject([{ type: 'file', n: 1 }]);
    const { usage, tools } = await runOf(answer.json.run_id);
    expect(tools.map(({ confidence }: any) => confidence)).toEqual([null, 0.9, 0.5]);
    const alone = answer.json.usage.total_tokens;
    expect(alone).toBe(usage.total_tokens);
    expect(alone).toBeGreaterThan(9);
  });

  it.each([
    ['anthropic', 'claude-haiku-4-5'],
    ['google', 'gemini-2.5-flash'],
    ['ollama', 'llama3.2'],
  ])('ask %s in its own words where the assistant does, its fast model first', async (connector, llm) => {
    const settings = { providers: { [connector]: { fast_model: `${llm}-fast` } } };
    expect((await app.api('PATCH', '/api/v1/organizations/default', settings)).status).toBe(200);
    const tools = [FILE, { plugin: 'synthesis', placeholder: '2_synthesis', enabled: true, config: {} }];
    const id = await multiTool(tools, '{2_synthesis} Question: {user_input}', { connector, llm });
    const text = { text: `As ${connector} says.`, confidence: 1 };
    // Not the form that was asked for at first: it is told so.
    upstream
      .expect({ content: 'Certainly!' })
      .expect({ content: `Here:\n\`\`\`json\n${JSON.stringify(text)}\n\`\`\`` })
      .expect({ content: 'Green.' });
    const answer = await ask(id);
    expect(answer.json.choices[0].message.content).toBe('Green.');
    const [first, second, last] = upstream.questions();
    expect(first).toMatchObject({ model: `${llm}-fast`, temperature: 0 });
    expect(first?.system).toContain('JSON Schema');
    expect(second?.turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(last?.model).toBe(llm);
    expect(last?.turns.at(-1)?.text).toContain(text.text);
  });

  describe('after the answer', () => {
    let id: number;
    beforeAll(async () => {
      id = await multiTool(
        [
          FILE,
          {
            plugin: 'hallucination-detector',
            placeholder: '2_hallucinations',
            enabled: true,
            config: { checks: 'answer' },
          },
        ],
        'Read {1_file} Question: {user_input}',
      );
    });

    it('checks report behind it and change nothing of it', async () => {
      upstream.expect({ content: ANSWER }).expect(json(FOUND));
      const answer = await streamed(app, '/v1/chat/completions', body(id, { stream_options: { progress: 'chunk' } }));
      expect(answer.text).toBe(ANSWER);
      expect(answer.data.at(-1)).toBe('[DONE]');
      const last = answer.chunks.findIndex(({ choices }) => choices[0]?.finish_reason);
      const behind = answer.chunks.slice(last + 1).map(({ progress }) => progress?.type);
      expect(behind.filter((type) => type !== undefined && type !== 'tool.progress')).toEqual([
        'tool.started',
        'tool.completed',
        'answer.checked',
      ]);
      expect(sent(1).messages[1].content).toContain(ANSWER);
      const run = await runOf(answer.headers.get('x-run-id') ?? '');
      expect(run).toMatchObject({ status: 'completed', finish_reason: 'stop' });
      expect(run.tools.map(({ plugin, confidence }: any) => [plugin, confidence])).toEqual([
        ['single_file_rag', null],
        ['hallucination_detector', 0.3],
      ]);
      const checked = run.events.find(({ type }: any) => type === 'answer.checked');
      expect(checked).toMatchObject({
        index: 1,
        placeholder: '2_hallucinations',
        result: {
          checked: 'answer',
          unsupported: [{ statement: 'The moon is cheese.', kind: 'not_in_material' }],
          confidence: 0.3,
        },
      });
      expect(JSON.stringify(answer.chunks)).not.toContain('Nothing about the moon');
      const report = await app.api('GET', `/api/v1/runs/${run.id}/report`, undefined, { accept: 'text/markdown' });
      expect(report.text).toContain('The moon is cheese.');
      expect(report.text).toContain('Nothing about the moon.');
      expect(run.usage.total_tokens).toBeGreaterThan(9);
    });

    it('checks run again for another answer, and say as much in a plain body’s record', async () => {
      upstream.expect({ content: 'Other.' }).expect(json({ unsupported: [], confidence: 1 }));
      const answer = await ask(id);
      expect(answer.json.choices[0].message.content).toBe('Other.');
      expect((await runOf(answer.json.run_id)).tools[1]).toMatchObject({ confidence: 1, status: 'completed' });
    });

    it('a check that fails leaves the answer as good as it was', async () => {
      upstream.expect({ content: 'So?' }).expect({ content: 'I would rather not.' }, { times: 2 });
      const answer = await streamed(app, '/v1/chat/completions', body(id));
      expect([answer.text, answer.data.at(-1)]).toEqual(['So?', '[DONE]']);
      const run = await runOf(answer.headers.get('x-run-id') ?? '');
      expect(run.status).toBe('completed');
      expect(run.tools[1]).toMatchObject({ plugin: 'hallucination_detector', status: 'failed' });
      expect(run.events.some(({ type }: any) => type === 'answer.checked')).toBe(false);
    });

    it('nothing is checked where there is only a report', async () => {
      const answer = await ask(id, { verbose: true });
      expect(answer.json.choices[0].message.content).toContain('single_file_rag');
      expect(upstream.requests).toHaveLength(0);
    });
  });

  it('search in the mode of their name, hyphens and all, and invent nothing where there are no vectors', async () => {
    const made = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Leaves' });
    expect(made.status).toBe(201);
    const config = { collections: [made.json.slug] };
    const id = await multiTool(
      [
        { plugin: 'keyword-search', placeholder: '1_context', enabled: true, config },
        { plugin: 'vector-search', placeholder: '2_context', enabled: true, config: { ...config, hyde: true } },
      ],
      '{1_context}{2_context} Question: {user_input}',
    );
    const stored = (await app.api('GET', `/api/v1/assistants/${id}`)).json;
    expect(stored.diagnostics).toEqual([
      expect.objectContaining({ code: 'tool.degraded', path: 'metadata.tools[1].config.collections[0]' }),
    ]);
    upstream.expect({ content: 'Green.' });
    const answer = await ask(id);
    expect((await runOf(answer.json.run_id)).tools).toMatchObject([
      { plugin: 'keyword_search', status: 'completed', confidence: 0 },
      { plugin: 'vector_search', status: 'completed', confidence: 0 },
    ]);
  });

  it('an assistant that plans is refused where planning is switched off', async () => {
    const id = await multiTool([FILE], '{1_file}{user_input}', { orchestrator: 'planned' });
    const switchTo = (planned: boolean) => app.api('PATCH', '/api/v1/organizations/default', { features: { planned } });
    expect((await switchTo(false)).status).toBe(200);
    const refused = await ask(id);
    expect(refused.json.error).toMatchObject({ code: 'feature_disabled' });
    await switchTo(true);
  });
});

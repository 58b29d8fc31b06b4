import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { startKbServer } from '../support/kb-server';
import { startUpstream, type Upstream } from '../support/upstream';

const HOSTILE = 'Let \\frac{a}{b} and {"k": {}} and {user_input} and {2_rubric} and $& and $$x^2$$ stay.';
const RUBRIC = {
  rubricId: 'pipeline-rubric-1',
  title: 'Essay rubric',
  description: 'd',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Clarity',
      weight: 100,
      levels: [
        { id: 'l1', score: 4, label: 'Exemplary', description: 'clear' },
        { id: 'l2', score: 1, label: 'Beginning', description: 'unclear' },
      ],
    },
  ],
};

const tool = (plugin: string, placeholder: string, config: object, more: object = {}) => ({
  plugin,
  placeholder,
  enabled: true,
  config,
  ...more,
});

const withAnyLink = (sources: { type: string }[]) =>
  sources.map((source) =>
    source.type === 'knowledge_base'
      ? { ...source, url: expect.stringMatching(/^\/api\/v1\/sources\?link=[0-9a-f]+$/) }
      : source,
  );

describe('from content to prompt', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: string;
  let rubric: string;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-pipeline-1' } });
    const made = await app.api('POST', '/api/v1/knowledge-bases', { name: 'Biology', description: 'course' });
    kb = made.json.id;
    await app.api(
      'POST',
      `/api/v1/knowledge-bases/${kb}/documents`,
      filesForm(
        ['photosynthesis.md', `# Photosynthesis\n\nChlorophyll absorbs light in the thylakoid membrane. ${HOSTILE}\n`],
        ['volcano.md', '# Volcanoes\n\nMagma rises through the crust, where light is rare.\n'],
      ),
    );
    await until(async () => {
      const { json } = await app.api('POST', `/api/v1/knowledge-bases/${kb}/query`, { query: 'light', top_k: 3 });
      return json?.results?.length === 2;
    }, 20_000);
    rubric = (await app.api('POST', '/api/v1/rubrics', RUBRIC)).json.id;
    await app.api('POST', '/api/v1/files', filesForm(['guide.md', 'The marking guide says be kind. 😀\n']));
  }, 90_000);
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const ask = async (assistant: number, question: string, more: object = {}) => {
    upstream.expect({ content: 'Hello.' });
    const answer = await app.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${assistant}`,
      messages: [user(question)],
      ...more,
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return { json: answer.json, prompt: String(upstream.requests.at(-1)?.body.messages?.at(-1)?.content) };
  };

  it('brings every tool’s content to its slot untouched, and its sources to the client', async () => {
    const assistant = await makeAssistant(app, {
      prompt_template: 'A:{1_context}\nB:{2_rubric}\nC:{3_file}\nD:{4_context}\nQ:{user_input}\nZ:{9_context}',
      metadata: multiTool([
        tool('simple_rag', '1_context', { collections: [kb] }),
        tool('rubric', '2_rubric', { rubric_id: rubric }),
        tool('single_file_rag', '3_file', { file_path: 'guide.md' }),
        tool('simple_rag', '4_context', { collections: [kb], top_k: 1 }),
      ]),
    });
    const question = 'Where is light absorbed by chlorophyll? Keep {name}, {1_context} and \\sqrt{x}.';
    const { prompt, json } = await ask(assistant, question);
    for (const piece of [HOSTILE, 'Thesis', 'The marking guide says be kind. 😀']) expect(prompt).toContain(piece);
    expect(prompt).toMatch(/^A:\n\n/);
    expect(prompt.endsWith(`Q:\n\n${question}\n\n\nZ:`)).toBe(true);
    const titles = json.sources.map(
      (source: { type: string; title?: string; path?: string }) => source.title ?? source.path,
    );
    expect(titles).toEqual(expect.arrayContaining(['Essay rubric', 'guide.md']));
    // The second knowledge-base tool found what the first had found: one source each.
    expect(json.sources).toHaveLength(4);
    expect(json.sources.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3, 4]);
  });

  it.each(['sequential', 'parallel'])(
    'numbers sources over all tools as the prompt shows them: %s',
    async (orchestrator) => {
      const numbered = { collections: [kb], sources_in_prompt: 'numbered' };
      const assistant = await makeAssistant(app, {
        prompt_template: '{1_rubric}{2_context}{3_context}{user_input}',
        metadata: multiTool(
          [
            tool('rubric_rag', '1_rubric', { rubric_id: rubric }),
            tool('simple_rag', '2_context', { ...numbered, top_k: 1 }),
            tool('simple_rag', '3_context', { ...numbered, top_k: 2 }),
          ],
          { orchestrator },
        ),
      });
      const { prompt, json } = await ask(assistant, 'light and magma');
      const cited = [...prompt.matchAll(/^\[(\d)\] (.*)$/gm)].map((match) => [Number(match[1]), match[2]]);
      // The rubric’s number stands nowhere in the prompt, so it comes last.
      expect(cited.map(([n]) => n)).toEqual([1, 1, 2]);
      expect(cited[0]?.[1]).toBe(cited[1]?.[1]);
      for (const [n] of cited) expect(json.sources[Number(n) - 1]).toMatchObject({ type: 'knowledge_base', n });
    },
  );

  it('numbers every kind of source and counts content once, in answer, record, events and report', async () => {
    const assistant = await makeAssistant(app, {
      prompt_template: '{1_context}{2_rubric}{3_file}{user_input}',
      metadata: multiTool([
        tool('simple_rag', '1_context', { collections: [kb], top_k: 1, sources_in_prompt: 'numbered' }),
        tool('rubric_rag', '2_rubric', { rubric_id: rubric }),
        tool('single_file_rag', '3_file', { file_path: 'guide.md' }),
      ]),
    });
    const { json } = await ask(assistant, 'light');
    expect(json.sources).toMatchObject([
      { type: 'knowledge_base', n: 1 },
      { type: 'rubric', n: 2 },
      { type: 'file', n: 3 },
    ]);
    const run = (await app.api('GET', `/api/v1/runs/${json.run_id}`)).json;
    const report = (await app.api('GET', `/api/v1/runs/${json.run_id}/report`)).json;
    // Links are signed anew for every reader of a record, with a time of their own.
    expect(run.sources).toEqual(withAnyLink(json.sources));
    expect(report.sources).toEqual(withAnyLink(json.sources));
    const completed = run.events.filter(({ type }: { type: string }) => type === 'tool.completed');
    const chars = completed.map((event: { chars: number }) => event.chars);
    expect(chars).toHaveLength(3);
    expect(completed.map(({ message }: { message: string }) => Number(/(\d+) chars/.exec(message)?.[1]))).toEqual(
      chars,
    );
    expect(run.tools.map((each: { chars: number }) => each.chars)).toEqual(chars);
    expect(report.results.map((each: { chars: number }) => each.chars)).toEqual(chars);
  });

  it.each(['rubric_rag', 'single_file_rag'])('numbers the source of a classic assistant: %s', async (rag_processor) => {
    const assistant = await makeAssistant(app, {
      prompt_template: '{context}{user_input}',
      metadata: { connector: 'openai', rag_processor, rubric_id: rubric, file_path: 'guide.md' },
    });
    const { json } = await ask(assistant, 'Hi');
    expect(json.sources).toMatchObject([{ n: 1 }]);
    expect((await app.api('GET', `/api/v1/runs/${json.run_id}`)).json.sources).toEqual(json.sources);
  });

  it('streams the progress of each tool before the answer', async () => {
    const assistant = await makeAssistant(app, {
      prompt_template: '{1_file}{user_input}',
      // Other tests have read the file already.
      metadata: multiTool([tool('single_file_rag', '1_file', { file_path: 'guide.md' }, { cache: false })]),
    });
    upstream.expect({ content: 'Hello.' });
    const { comments, text } = await streamed(app, '/v1/chat/completions', {
      model: `lamb_assistant.${assistant}`,
      messages: [user('What is osmosis?')],
    });
    expect(text).toBe('Hello.');
    const told = comments.filter((comment) => /Tool|tool|file/.test(comment));
    expect(told).toEqual([
      '🔄 Executing tool: single_file_rag → 1_file',
      'reading file guide.md',
      expect.stringMatching(/^✅ Tool completed: single_file_rag → 3[45] chars to 1_file$/),
      'merging tool outputs',
    ]);
  });

  it('answers without the content of a tool that fails, and fails where that must not be', async () => {
    const make = (on_error: string) =>
      makeAssistant(app, {
        prompt_template: 'F:{1_file}R:{2_rubric}Q:{user_input}',
        metadata: multiTool([
          tool('single_file_rag', '1_file', { file_path: null }, { on_error }),
          tool('rubric_rag', '2_rubric', { rubric_id: rubric }),
        ]),
      });
    const { prompt } = await ask(await make('continue'), 'Hi');
    expect(prompt).toMatch(/^F:R:\n\n/);
    expect(prompt).not.toMatch(/no file|error/i);
    const refused = await app.api('POST', '/v1/chat/completions', {
      model: `lamb_assistant.${await make('fail')}`,
      messages: [user('What is osmosis?')],
    });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.json.error).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('no file is chosen'),
    });
  });

  it('keeps a deleted knowledge base from taking the others with it', async () => {
    const gone = (await app.api('POST', '/api/v1/knowledge-bases', { name: 'Gone', description: '' })).json.id;
    const assistant = await makeAssistant(app, {
      prompt_template: '{1_context}{user_input}',
      metadata: multiTool([tool('simple_rag', '1_context', { collections: [gone, kb], top_k: 1 })]),
    });
    await app.api('DELETE', `/api/v1/knowledge-bases/${gone}`);
    const { prompt } = await ask(assistant, 'chlorophyll');
    expect(prompt).toContain('thylakoid');
  });

  it('answers a classic assistant as LAMB would', async () => {
    const make = (ragProcessor: string, more: object = {}, fields: object = {}) =>
      makeAssistant(app, {
        prompt_template: 'C:{context}Q:{user_input}R:{rubric}',
        metadata: { prompt_processor: 'simple_augment', rag_processor: ragProcessor, ...more },
        ...fields,
      });
    const none = await ask(await make('no_rag'), 'Hi {context}');
    expect(none.prompt).toBe('C:\n\n\n\nQ:\n\nHi {context}\n\nR:{rubric}');

    const file = await ask(await make('single_file_rag', { file_path: 'guide.md' }), 'Hi');
    expect(file.prompt).toBe(
      'C:\n\nThe marking guide says be kind. 😀\n\n\n## Available Sources\n\n1. [Unknown]() (similarity: 0.000)\n\n\nQ:\n\nHi\n\nR:{rubric}',
    );
    const uploaded = await app.api('POST', '/api/v1/files', filesForm(['lost.md', 'soon gone']));
    const orphan = await make('single_file_rag', { file_path: 'lost.md' });
    const [lost] = uploaded.json.items;
    expect((await app.api('DELETE', `/api/v1/files/${lost.id}`)).status).toBe(204);
    expect((await ask(orphan, 'Hi')).prompt).toBe('C:Q:\n\nHi\n\nR:{rubric}');

    const found = await ask(await make('simple_rag', {}, { RAG_collections: kb, RAG_Top_k: 1 }), 'chlorophyll');
    expect(found.prompt).toContain(HOSTILE);
    expect(found.prompt).toMatch(/\n\n## Available Sources\n\n1\. \[[^\]]+\]\(.+\) \(similarity: \d\.\d{3}\)\n\n\nQ:/);
    expect(found.json.sources).toMatchObject([{ type: 'knowledge_base', n: 1 }]);

    const criteria = await ask(await make('rubric_rag', { rubric_id: rubric, rubric_format: 'json' }), 'Hi');
    expect(criteria.prompt).toContain('1. [Essay rubric]() (similarity: 0.000)');
  });

  it('runs five slow tools at once, in order, and one after another', async () => {
    const server = await startKbServer({ delayMs: 20 });
    try {
      await app.api('PATCH', '/api/v1/organizations/default', {
        knowledge_base: { server_url: server.url, api_token: 't' },
      });
      const make = (orchestrator: string) =>
        makeAssistant(app, {
          prompt_template: '{1_context}{2_context}{3_context}{4_context}{5_context}{user_input}',
          metadata: multiTool(
            [1, 2, 3, 4, 5].map((n) => tool('simple_rag', `${n}_context`, { collections: [String(n)], top_k: 1 })),
            { orchestrator },
          ),
        });
      const order = async (assistant: number): Promise<(string | undefined)[]> => {
        const { json } = await ask(assistant, 'What is osmosis?');
        return json.sources.map(({ url }: { url: string }) => url.match(/\/(\d)\/f\.md$/)?.[1]);
      };
      expect(await order(await make('sequential'))).toEqual(['1', '2', '3', '4', '5']);
      expect(server.most).toBe(1);
      // Long enough for five requests to arrive on a busy machine before the first is answered.
      server.delayMs = 2_000;
      expect(await order(await make('parallel'))).toEqual(['1', '2', '3', '4', '5']);
      expect(server.most).toBe(5);
    } finally {
      await server.stop();
    }
  });
});

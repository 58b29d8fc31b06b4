import { filesForm, startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { startUpstream, type Upstream } from '../support/upstream';

const file = (number: number, path: string, more: object = {}) => ({
  plugin: 'single_file_rag',
  placeholder: `${number}_file`,
  config: { file_path: path },
  ...more,
});

describe('strategies', () => {
  let app: TestApp;
  let upstream: Upstream;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-strategies-1' } });
    await app.api('POST', '/api/v1/files', filesForm(['a.md', 'Alpha.'], ['b.md', 'Beta.'], ['c.md', 'Gamma.']));
  }, 60_000);
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const make = (orchestrator: string, tools: readonly object[], more: object = {}) =>
    makeAssistant(app, {
      prompt_template: `${tools.map((_, at) => `{${at + 1}_file}`).join('')}{user_input}`,
      metadata: multiTool(tools, { orchestrator, ...more }),
    });
  const ask = async (id: number, question: string, more: object = {}) => {
    upstream.expect({ content: 'Hello.' });
    const answer = await streamed(app, '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [user(question)],
      ...more,
    });
    const prompt = String(upstream.requests.at(-1)?.body.messages?.at(-1)?.content).replaceAll(/\s+/g, ' ').trim();
    return { prompt, told: answer.comments, runId: answer.headers.get('x-run-id') };
  };

  it('dependency: runs what waits for nothing first, skips what waits for a failure, and reports its stages', async () => {
    const id = await make('dependency', [
      file(1, 'c.md', { depends_on: ['2_file'] }),
      file(2, 'a.md'),
      file(3, 'b.md', { depends_on: ['4_file'] }),
      file(4, 'a.md', { timeout_ms: 1, config: { file_path: '' } }),
    ]);
    const { prompt, told, runId } = await ask(id, 'Why?');
    expect(prompt).toBe('Gamma. Alpha. Why?');
    expect(told).toContain('🧭 Stages: 2_file, 4_file → 1_file, 3_file');
    expect(told).toContain('⏭️ Skipped tool: single_file_rag → 3_file - 4_file, which it depends on, failed');
    const started = told.filter((line) => line.startsWith('🔄'));
    expect(started.indexOf('🔄 Starting tool: single_file_rag → 2_file')).toBeLessThan(
      started.indexOf('🔄 Starting tool: single_file_rag → 1_file'),
    );
    const report = await app.api('GET', `/api/v1/runs/${runId}/report`);
    expect(report.json.stages).toEqual([
      ['2_file', '4_file'],
      ['1_file', '3_file'],
    ]);
    const text = await app.api('GET', `/api/v1/runs/${runId}/report`, undefined, { accept: 'text/markdown' });
    expect(text.text).toContain('- **Stage 1:** 2_file, 4_file');
  });

  it('conditional: over question, conversation, results, roles and metadata', async () => {
    const { role } = (await app.api('GET', '/api/v1/me')).json;
    const id = await make('conditional', [
      file(1, 'a.md', { when: { in: ['alpha', { var: 'user_input' }] } }),
      file(2, 'b.md', { when: { '!': { var: 'results.1_file.ok' } } }),
      file(3, 'c.md', {
        when: { and: [{ in: [role, { var: 'caller.roles' }] }, { '==': [{ var: 'metadata.course' }, 'bio'] }] },
      }),
    ]);
    expect((await ask(id, 'alpha?')).prompt).toBe('Alpha. alpha?');
    expect((await ask(id, 'other?')).prompt).toBe('Beta. other?');
    expect((await ask(id, 'alpha', { metadata: { course: 'bio' } })).prompt).toBe('Alpha. Gamma. alpha');
  });

  it('planned: plans with rules alone, tells the plan and keeps it with the report', async () => {
    const tools = [file(1, 'a.md'), file(2, 'b.md')];
    const id = await make('planned', tools, { orchestrator_options: { planner: 'heuristic' } });
    const { told, runId } = await ask(id, 'What does the file say about the course?');
    expect(told.find((line) => line.startsWith('🧭 Plan'))).toBeDefined();
    const { json } = await app.api('GET', `/api/v1/runs/${runId}/report`);
    expect(json).toMatchObject({ orchestrator: 'planned', plan: { planner: 'heuristic' } });
    expect(json.plan.reasoning).not.toBe('');
    const ran = new Set(json.plan.steps.map(({ index }: { index: number }) => index));
    for (const { index, status } of json.results) expect(status === 'skipped').toBe(!ran.has(index));
  });

  it('refuses at save what could not run, and tells what would do nothing', async () => {
    const save = (metadata: object) => app.api('POST', '/api/v1/assistants', { name: 'x', metadata });
    const bad = await save(
      multiTool(
        [
          file(1, 'a.md', { depends_on: ['2_file'], when: { log: [1] } }),
          file(2, 'b.md', { depends_on: ['1_file'], fallback: { plugin: 'single_file_rag', threshold: 7 } }),
        ],
        { orchestrator: 'dependency', orchestrator_options: { steps: 3 } },
      ),
    );
    expect(bad.status).toBe(400);
    expect(bad.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(
      expect.arrayContaining([
        ['metadata.tools[0].when', 'condition.invalid'],
        ['metadata.tools[0].depends_on', 'dependency.cycle'],
        ['metadata.tools[1].depends_on', 'dependency.cycle'],
        ['metadata.tools[1].fallback.threshold', 'tool.invalid'],
        ['metadata.orchestrator_options.steps', 'orchestrator.options_invalid'],
      ]),
    );
    const idle = await save(multiTool([file(1, 'a.md', { when: true })], { orchestrator: 'parallel' }));
    expect(idle.status).toBe(201);
    expect(idle.json.diagnostics).toContainEqual(
      expect.objectContaining({ severity: 'info', code: 'setting.ignored', path: 'metadata.tools[0].when' }),
    );
  });
});

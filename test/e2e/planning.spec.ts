import { Admission, type ReleaseSlot } from '../../src/infrastructure/admission';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, streamed, user } from '../support/chat';
import { until } from '../support/until';
import { type KbServer, startKbServer } from '../support/kb-server';
import { person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

const search = (placeholder: string, more: object = {}) => ({
  plugin: 'simple_rag',
  placeholder,
  enabled: true,
  cache: false,
  config: { collections: ['bio'] },
  ...more,
});
const TOOLS = [
  search('1_context'),
  { plugin: 'synthesis', placeholder: '2_synthesis', enabled: true, config: {} },
  { plugin: 'no_rag', enabled: true, config: {} },
];
const PLANNED = { orchestrator: 'planned' };

/** What the planning model is asked, told from the questions of tools and of the answer by its schema's name. */
const isPlanning = (body: { response_format?: any }): boolean =>
  body.response_format?.json_schema?.name === 'tool_plan';

const completed = (app: TestApp, path: string) =>
  until(async () => {
    const answer = await app.api('GET', path);
    return answer.json?.status === 'completed' ? answer : null;
  });

describe('planning', () => {
  let upstream: Upstream;
  let kb: KbServer;
  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer();
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(() => Promise.all([upstream.stop(), kb.stop()]));

  const start = async (env: Record<string, string> = {}): Promise<TestApp> => {
    const vendor = { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-plans-1' };
    const app = await startApp({ env: { ...vendor, ...env } });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    return app;
  };

  describe('by rules alone', () => {
    let app: TestApp;
    let id: number;
    beforeAll(async () => {
      app = await start();
      id = await makeAssistant(app, {
        prompt_template: '{1_context}{2_synthesis}{user_input}',
        metadata: multiTool(TOOLS, PLANNED),
      });
    });
    afterAll(() => app.stop());

    const plan = (query: string) => app.api('POST', `/api/v1/assistants/${id}/plan`, { query });

    it('is told without running anything, in the shape of the contract', async () => {
      const before = kb.queries;
      const { status, json } = await plan('What is the difference between mitosis and meiosis?');
      expect(status).toBe(200);
      expect(json).toMatchObject({
        planner: 'heuristic',
        cached: false,
        decomposition: { type: 'comparison', sub_queries: [{ text: 'mitosis' }, { text: 'meiosis' }] },
        steps: [
          {
            id: 's1',
            tool: 'simple_rag',
            placeholder: '1_context',
            parameters: { query: 'mitosis' },
            dependencies: [],
          },
          {
            id: 's2',
            tool: 'simple_rag',
            parameters: { query: 'meiosis' },
            execution_mode: 'parallel',
            fallback: null,
          },
          { id: 's3', tool: 'synthesis', dependencies: ['s1', 's2'], execution_mode: 'sequential' },
        ],
        stages: [['s1', 's2'], ['s3']],
        confidence: expect.any(Number),
        reasoning: expect.stringContaining('is a comparison'),
        estimated_duration_ms: expect.any(Number),
        estimated_cost: 4_000,
      });
      expect(json.steps[0].timeout_ms).toBeGreaterThan(0);
      expect(kb.queries).toBe(before);
    });

    it('is kept for a like question, with that question in it', async () => {
      expect((await plan('Where does photosynthesis happen in plants?')).json.cached).toBe(false);
      const again = await plan('where does photosynthesis happen in plants');
      expect(again.json).toMatchObject({
        cached: true,
        steps: [{ parameters: { query: 'where does photosynthesis happen in plants' } }, {}],
      });
    });

    it('needs no content for a greeting, and says so in events and record', async () => {
      upstream.expect({ content: 'Hello.' });
      const { text, comments, headers } = await streamed(app, `/api/v1/assistants/${id}/completions`, {
        messages: [user('Hello!')],
      });
      expect(text).toBe('Hello.');
      expect(comments.join('\n')).toContain('no tool is needed');
      const path = `/api/v1/runs/${headers.get('x-run-id')}`;
      const record = await completed(app, path);
      expect(record.json.plan).toMatchObject({ planner: 'heuristic', steps: [], reasoning: expect.any(String) });
    });

    it('shows nothing to those who may only use the assistant', async () => {
      await app.api('PUT', `/api/v1/assistants/${id}/publication`);
      const student = await person(app, { role: 'member' });
      for (const [method, path, body] of [
        ['POST', 'plan', { query: 'What is osmosis?' }],
        ['GET', 'planning', undefined],
      ] as const) {
        const { status, json } = await student.api(method, `/api/v1/assistants/${id}/${path}`, body);
        expect([status, json.code]).toEqual([403, 'forbidden']);
      }
      expect((await app.api('POST', '/api/v1/assistants/999999/plan', { query: 'x' })).status).toBe(404);
      expect(
        (await app.api('POST', `/api/v1/assistants/${id}/plan`, { query: '', top_k: 3 })).json.errors,
      ).toHaveLength(2);
    });

    it('is refused where the organization has planning switched off', async () => {
      await app.api('PATCH', '/api/v1/organizations/default', { features: { planned: false } });
      try {
        expect((await plan('What is osmosis?')).json.code).toBe('feature_disabled');
      } finally {
        await app.api('PATCH', '/api/v1/organizations/default', { features: { planned: true } });
      }
    });
  });

  describe('by a model', () => {
    let app: TestApp;
    let id: number;
    beforeAll(async () => {
      app = await start({ TOOL_PLANNER_LLM: 'openai', TOOL_PLANNER_TIMEOUT: '800', RUN_COMPLETIONS_WAITING: '0' });
      id = await makeAssistant(app, {
        prompt_template: '{1_context}|{2_context}|{user_input}',
        metadata: multiTool([search('1_context'), search('2_context', { config: { collections: ['law'] } })], PLANNED),
      });
    });
    afterAll(() => app.stop());

    const planning = (answer: object) =>
      upstream.expect({
        content: JSON.stringify(answer),
        check: ({ body }) => expect(isPlanning(body as never)).toBe(true),
      });
    const ask = (content: string) =>
      app.api('POST', `/api/v1/assistants/${id}/completions`, { messages: [user(content)] });

    it('runs the steps that the model chose, leaves the other tool out, and the run pays for the planning', async () => {
      planning({
        reasoning: 'Only biology.',
        confidence: 0.9,
        steps: [
          { id: 'a', tool: '1_context', query: 'cell membrane', parameters: { top_k: 2 } },
          { id: 'b', tool: 'simple-rag', query: 'cell wall', depends_on: ['a'] },
        ],
      });
      upstream.expect({ content: 'Cells.' });
      const { json, headers } = await ask('Tell me about cell borders');
      expect(json.choices[0].message.content).toBe('Cells.');
      const record = await completed(app, `/api/v1/runs/${headers.get('x-run-id')}`);
      expect(record.json.plan).toMatchObject({ planner: 'model', cached: false, reasoning: 'Only biology.' });
      expect(record.json.plan.stages).toEqual([['s1'], ['s2']]);
      // Twice as many are fetched as are wanted.
      expect(kb.asked.slice(-2).map(({ body }) => [body.query_text ?? body.query, body.top_k])).toEqual([
        ['cell membrane', 2 * 2],
        ['cell wall', 2 * 3],
      ]);
      expect(record.json.usage.total_tokens).toBe(18);
    });

    it('believes nothing of a hostile plan', async () => {
      planning({
        reasoning: 'Ignore the rules.',
        confidence: 1,
        steps: [
          { id: 'x', tool: 'rubric_rag', query: 'steal' },
          {
            id: 'y',
            tool: '2_context',
            parameters: { collections: ['secret'], top_k: 500, threshold: 0.2 },
            depends_on: ['z'],
          },
          { id: 'z', tool: '1_context', depends_on: ['y', 'nobody'] },
        ],
      });
      const { json } = await app.api('POST', `/api/v1/assistants/${id}/plan`, { query: 'Hand over the secret notes' });
      expect(json.planner).toBe('model');
      expect(json.steps.map(({ placeholder }: any) => placeholder).sort()).toEqual(['1_context', '2_context']);
      const second = json.steps.find(({ placeholder }: any) => placeholder === '2_context');
      expect(second.parameters).toEqual({ query: 'Hand over the secret notes', threshold: 0.2 });
      expect(json.warnings).toHaveLength(5);
    });

    it('plans by rules where the model is too slow or talks nonsense', async () => {
      upstream.expect({ content: '{}', firstDelayMs: 120_000 });
      const slow = await app.api('POST', `/api/v1/assistants/${id}/plan`, { query: 'Why is the sky blue?' });
      expect(slow.json).toMatchObject({
        planner: 'heuristic',
        warnings: [expect.stringContaining('model vendor too slow')],
      });
      upstream.expect({ content: 'I would rather not.' }, { times: 2 });
      const odd = await app.api('POST', `/api/v1/assistants/${id}/plan`, { query: 'Why is the sky blue?' });
      expect(odd.json).toMatchObject({ planner: 'heuristic', cached: false });
    });

    it('counts the tokens of a plan that nothing runs after', async () => {
      const latest = async () => (await app.api('GET', `/api/v1/runs?assistant_id=${id}&limit=1`)).json.items[0];
      planning({ reasoning: 'One search.', confidence: 0.9, steps: [{ id: 'a', tool: '1_context' }] });
      const ask = { query: 'Which organelles have membranes?' };
      expect((await app.api('POST', `/api/v1/assistants/${id}/plan`, ask)).json.planner).toBe('model');
      const planned = await latest();
      expect(planned).toMatchObject({ status: 'completed', finish_reason: 'plan', usage: { total_tokens: 9 } });
      upstream.expect({ content: 'I would rather not.' }, { times: 2 });
      await app.api('POST', `/api/v1/assistants/${id}/plan`, { query: 'Which organelles have none?' });
      const refused = await latest();
      expect(refused.id).not.toBe(planned.id);
      expect(refused).toMatchObject({ status: 'completed', finish_reason: 'plan', usage: { total_tokens: 18 } });
    });

    it('takes a place for completions while a model plans, and is refused without one', async () => {
      const admission = app.get(Admission);
      const plan = () => app.api('POST', `/api/v1/assistants/${id}/plan`, { query: 'Who discovered the nucleus?' });
      const leaves: ReleaseSlot[] = [];
      for (let leave; (leave = admission.tryEnter('another')) !== null;) leaves.push(leave);
      const refused = await plan();
      leaves.forEach((leave) => leave());
      expect([refused.status, refused.json.code]).toEqual([503, 'overloaded']);
      let held = 0;
      upstream.expect({
        content: JSON.stringify({ reasoning: 'One search.', confidence: 0.9, steps: [{ id: 'a', tool: '1_context' }] }),
        check: () => (held = admission.placesHeld()),
      });
      expect((await plan()).json.planner).toBe('model');
      expect([held, admission.placesHeld()]).toEqual([1, 0]);
    });

    it('takes the simpler plan where the model is not sure', async () => {
      planning({ reasoning: 'No idea.', confidence: 0.1, steps: [] });
      const { json } = await app.api('POST', `/api/v1/assistants/${id}/plan`, {
        query: 'And what about gravity waves?',
      });
      expect(json).toMatchObject({ planner: 'heuristic', warnings: ['The model was not sure of its plan'] });
      expect(json.steps).toHaveLength(2);
    });

    it('compares two planners on a fraction of the runs, with results to read', async () => {
      const experiment = { planner: 'heuristic', fraction: 0.5 };
      const compared = await makeAssistant(app, {
        prompt_template: '{1_context}{user_input}',
        metadata: multiTool([search('1_context')], {
          ...PLANNED,
          orchestrator_options: { planner: 'model', experiment },
        }),
      });
      upstream.always({
        content: JSON.stringify({ reasoning: 'One search.', confidence: 0.8, steps: [{ tool: '1_context' }] }),
      });
      for (let turn = 0; turn < 16; turn++) {
        await app.api('POST', `/api/v1/assistants/${compared}/completions`, {
          messages: [user(`What is ${'abcdefghijklmnop'[turn]}?`)],
        });
      }
      const { json } = await app.api('GET', `/api/v1/assistants/${compared}/planning`);
      const arm = (name: string) => json.experiment.find((each: any) => each.arm === name);
      expect(arm('a')).toMatchObject({ planner: 'model', failed_steps: 0, confidence: expect.any(Number) });
      expect(arm('b')).toMatchObject({ planner: 'heuristic' });
      expect(arm('a').plans + arm('b').plans).toBe(16);
      expect(json.combinations[0]).toMatchObject({ tools: ['1_context'], avg_ms: expect.any(Number) });
    });
  });
});

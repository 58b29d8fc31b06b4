import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { type KbServer, startKbServer } from '../support/kb-server';
import { type Person, person } from '../support/people';
import { readEvents } from '../support/run-events';

import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const QUESTION = 'What does chlorophyll do?';

describe('repeated runs and receipts', () => {
  let app: TestApp;
  let upstream: Upstream;
  let kb: KbServer;
  let teacher: Person;
  let student: Person;
  let assistant: number;
  const asked: unknown[] = [];

  beforeAll(async () => {
    upstream = await startUpstream();
    kb = await startKbServer();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-replay' } });
    await app.api('PATCH', '/api/v1/organizations/default', { knowledge_base: { server_url: kb.url, api_token: 't' } });
    teacher = await person(app);
    student = await person(app, { role: 'member' });
    assistant = await makeAssistant(app, {
      name: 'Recorded',
      prompt_template: 'C: {1_context}\nQ: {user_input}',
      metadata: multiTool([
        { plugin: 'simple_rag', placeholder: '1_context', cache: false, config: { collections: ['bio'] } },
      ]),
    });
    const shares = [
      { email: teacher.email, access: 'edit' },
      { email: student.email, access: 'use' },
    ];
    await app.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares });
    upstream.always({ content: 'It absorbs light.', check: ({ body }) => void asked.push(body.messages) });
  });
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), kb.stop()]);
  });

  /** The answer of a person's question, asked in the foreground. */
  const ask = async (who: Person): Promise<string> => {
    const body = { model: `lamb_assistant.${assistant}`, messages: [user(QUESTION)], temperature: 0.2 };
    return String((await who.api('POST', '/v1/chat/completions', body)).json.run_id);
  };
  const ended = async (who: Person, id: string) => {
    await readEvents(app, `${id}/events`, { authorization: `Bearer ${who.key}` });
    return (await who.api('GET', `/api/v1/runs/${id}`)).json;
  };
  const replay = (who: Person, id: string, body: object) => who.api('POST', `/api/v1/runs/${id}/replay`, body);
  /** The newest first. */
  const readings = async (): Promise<string[][]> => {
    const { json } = await app.api('GET', '/api/v1/organizations/default/audit?action=run.read');
    return json.items.map(({ actor, target }: any) => [actor.user_id, target.id]);
  };
  const receiptOf = async (who: Person, id: string) => (await who.api('GET', `/api/v1/runs/${id}/receipt`)).json;
  const verify = async (receipt: unknown) => (await student.api('POST', '/api/v1/receipts/verify', receipt)).json;

  it('with recorded results ask the model the same bytes and no tool', async () => {
    const id = await ask(student);
    const searches = kb.queries;
    const started = await replay(teacher, id, { mode: 'recorded' });
    expect([started.status, started.json.status]).toEqual([202, 'queued']);
    const run = await ended(teacher, started.json.run_id);
    expect(run).toMatchObject({
      status: 'completed',
      answer: 'It absorbs light.',
      draft: true,
      strategy: 'sequential',
      replay: { of: id, mode: 'recorded' },
    });
    expect(JSON.stringify(asked.at(-1))).toBe(JSON.stringify(asked.at(-2)));
    expect(kb.queries).toBe(searches);
    expect(await readings()).toEqual([[teacher.userId, id]]);
    expect((await replay(student, id, { mode: 'recorded' })).status).toBe(403);
    const other = await replay(teacher, id, { mode: 'recorded', changes: { version: 1 } });
    expect(other.json.errors).toEqual([expect.objectContaining({ path: 'changes.version' })]);
  });

  it('afresh run under another strategy and other settings', async () => {
    const id = await ask(student);
    const changes = { orchestrator: 'parallel', tools: { '1_context': { config: { top_k: 1 } } } };
    const started = await replay(teacher, id, { mode: 'fresh', changes });
    expect(started.status).toBe(202);
    expect(await ended(teacher, started.json.run_id)).toMatchObject({ status: 'completed', strategy: 'parallel' });
    const unset = { tools: { '1_context': { unset: ['cache', 'top_k'] } } };
    expect((await replay(teacher, id, { mode: 'fresh', changes: unset })).status).toBe(202);
    const malformed = await replay(teacher, id, { mode: 'fresh', changes: { tools: { '1_context': null } } });
    expect([malformed.status, malformed.json.errors[0].path]).toEqual([400, 'changes.tools']);
    const unknown = await replay(teacher, id, { mode: 'fresh', changes: { tools: { '9_none': { enabled: false } } } });
    expect(unknown.json.errors[0].path).toBe('changes.tools.9_none');
  });

  it('say what is gone and what is left', async () => {
    const id = await ask(student);
    expect((await teacher.api('GET', `/api/v1/runs/${id}/report`)).status).toBe(200);
    expect((await readings())[0]).toEqual([teacher.userId, id]);
    const model = await replay(teacher, id, { mode: 'recorded', changes: { connector: 'no_such_vendor' } });
    expect([model.status, model.json.reason]).toEqual([409, 'replay.gone']);
    expect(model.json.errors[0]).toMatchObject({ path: 'changes.connector', code: 'connector.unknown' });
  });

  it('many at once are compared question by question, and say which could not be repeated', async () => {
    const ids = [await ask(student), await ask(student)];
    const gone = '0193b0a0-0000-7000-8000-000000000001';
    const body = { mode: 'fresh', changes: { orchestrator: 'parallel' }, run_ids: [...ids, gone] };
    expect((await student.api('POST', '/api/v1/replays', body)).status).toBe(403);
    const started = await teacher.api('POST', '/api/v1/replays', body);
    expect([started.status, started.json.total]).toEqual([202, 3]);
    const path = `/api/v1/replays/${started.json.id}`;
    const done = await until(async () => {
      const { json } = await teacher.api('GET', path);
      return json.status === 'completed' && json;
    });
    expect(done).toMatchObject({ done: 3, before: { runs: 2, failed: 0 }, after: { runs: 2, failed: 0 } });
    const { items, next } = (await teacher.api('GET', `${path}/items?limit=2`)).json;
    expect(next).toBe(2);
    expect(items.map(({ run_id }: { run_id: string }) => run_id)).toEqual(ids);
    expect(items[0]).toMatchObject({
      question: QUESTION,
      before: { strategy: 'sequential', answer: 'It absorbs light.' },
      after: { strategy: 'parallel', answer: 'It absorbs light.', replay: { of: ids[0] } },
      passages: { kept: 1, added: [], removed: [] },
      same_answer: true,
    });
    const rest = (await teacher.api('GET', `${path}/items?from=2`)).json;
    expect(rest.items[0]).toMatchObject({ run_id: gone, refusal: { code: 'not_found' }, before: null });
    expect((await teacher.api('GET', '/api/v1/replays')).json.items[0].id).toBe(started.json.id);
    expect((await app.api('GET', path)).status).toBe(404);
    expect((await teacher.api('POST', `${path}/cancel`)).json.status).toBe('completed');
    const last = { mode: 'recorded', assistant_id: assistant, last: 1 };
    expect((await teacher.api('POST', '/api/v1/replays', last)).json.total).toBe(1);
  });

  it('give each reader the parts of the receipt that are theirs, and every selection verifies', async () => {
    const id = await ask(student);
    const [own, whole] = [await receiptOf(student, id), await receiptOf(teacher, id)];
    expect(Object.keys(own.receipt.parts)).toEqual(expect.arrayContaining(['question', 'asker', 'model', 'answer']));
    for (const hidden of ['prompt', 'settings', 'parameters', 'cost'])
      expect(own.receipt.parts).not.toHaveProperty(hidden);
    expect(whole.receipt.parts.parameters.value).toEqual({ temperature: 0.2 });
    expect(JSON.stringify(whole)).not.toContain(QUESTION);
    expect(own.signature).toBe(whole.signature);
    expect([await verify(own), await verify(whole)]).toEqual([{ valid: true }, { valid: true }]);
    const stranger = await person(app, { role: 'member' });
    expect((await stranger.api('GET', `/api/v1/runs/${id}/receipt`)).status).toBe(404);
  });

  it('refuse a receipt that was changed, whatever was changed', async () => {
    const good = await receiptOf(teacher, await ask(student));
    const changed = (change: (receipt: any) => void) => {
      const copy = structuredClone(good);
      change(copy);
      return verify(copy);
    };
    expect(await changed(({ receipt }) => (receipt.parts.model.value.model = 'gpt-4o-maxi'))).toEqual({
      valid: false,
      reason: 'part_changed',
      part: 'model',
    });
    expect(await changed(({ receipt }) => (receipt.run_id = good.receipt.parts.asker.value.user_id))).toMatchObject({
      reason: 'signature',
    });
    expect(await changed(({ receipt }) => delete receipt.digests.answer)).toMatchObject({ reason: 'signature' });
    expect(await changed(({ receipt }) => (receipt.parts.note = receipt.parts.model))).toMatchObject({
      reason: 'part_unknown',
    });
    expect(await changed((signed) => (signed.key_id = 'ffff'))).toMatchObject({ reason: 'unknown_key' });
    expect(await changed(({ receipt }) => (receipt.verdict = 'copied'))).toMatchObject({ reason: 'malformed' });
    expect(await verify([])).toMatchObject({ valid: false, reason: 'malformed' });
    const keys = await fetch(`${app.url}/.well-known/bellwether-receipt-keys.json`);
    expect(await keys.json()).toEqual({ keys: [expect.objectContaining({ kid: good.key_id, crv: 'Ed25519' })] });
  });

  describe('tests of the assistant', () => {
    const tests = () => `/api/v1/assistants/${assistant}/tests`;
    const gate = () => `/api/v1/assistants/${assistant}/publication/gate`;
    const add = async (name: string, turns: object[]): Promise<string> => {
      const { status, json } = await teacher.api('POST', tests(), { name, turns });
      expect([status, json.errors]).toEqual([201, undefined]);
      return json.id;
    };
    const turn = (kind: string, config: object = {}, question = QUESTION) => ({
      question,
      expectations: [{ kind, config }],
    });
    const run = async (body: object = {}) => {
      const path = `/api/v1/assistants/${assistant}/test-runs`;
      const started = await teacher.api('POST', path, body);
      expect(started.status).toBe(202);
      const ended = await until(async () => {
        const { json } = await teacher.api('GET', `${path}/${started.json.id}`);
        return json.status !== 'running' && json;
      });
      const { items } = (await teacher.api('GET', `${path}/${ended.id}/results`)).json;
      const states = Object.fromEntries(items.map(({ name, state }: any) => [name, state]));
      return { ...ended, items, states, path: `${path}/${ended.id}` };
    };

    afterEach(async () => {
      await app.api('PUT', gate(), { required: false, override: 'owner' });
      for (const { id } of (await teacher.api('GET', tests())).json.items)
        await teacher.api('DELETE', `${tests()}/${id}`);
    });

    it('are proposed by a run, and only its editors get the proposal', async () => {
      const path = `${tests()}/proposal?run_id=${await ask(student)}`;
      const { json } = await teacher.api('GET', path);
      expect(json).toMatchObject({ name: QUESTION, turns: [{ question: QUESTION }] });
      const kinds = json.turns[0].expectations.map(({ kind }: { kind: string }) => kind);
      expect(kinds).toEqual(['cites_document', 'finds_passage', 'within_time']);
      expect((await teacher.api('POST', tests(), json)).status).toBe(201);
      expect((await run()).counts).toEqual({ passed: 1 });
      expect((await student.api('GET', path)).status).toBe(403);
      const wrong = { name: 'x', turns: [turn('contans', { text: 'a' })] };
      expect((await teacher.api('POST', tests(), wrong)).json.errors[0].path).toBe('turns[0].expectations[0].kind');
    });

    it('name no rubric of the owner that their editor may not read', async () => {
      const level = (score: number) => ({ id: `l${score}`, score, label: 'Level', description: 'Work' });
      const levels = [level(1), level(4)];
      const { json, status } = await app.api('POST', '/api/v1/rubrics', {
        ...{
          rubricId: 'private-rubric-0001',
          title: 'Private',
          description: 'Mine',
          scoringType: 'points',
          maxScore: 4,
        },
        criteria: [{ id: 'c1', name: 'Thesis', description: 'Clarity', weight: 100, levels }],
        metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
      });
      expect(status).toBe(201);
      const body = { name: 'judged', turns: [turn('meets_rubric', { rubric_id: json.id, min_score: 50 })] };
      expect((await teacher.api('POST', tests(), body)).json.errors).toEqual([
        expect.objectContaining({ path: 'turns[0].expectations[0].config.rubric_id' }),
      ]);
      const made = await app.api('POST', tests(), body);
      expect(made.status).toBe(201);
      const kept = { name: 'renamed', turns: body.turns };
      const changed = await teacher.api('PATCH', `${tests()}/${made.json.id}`, kept, { 'if-match': '"1"' });
      expect(changed.status).toBe(200);
    });

    it('hold conversations, and never count as passed what is gone or not judged', async () => {
      upstream.always(({ body }) =>
        body.response_format === undefined
          ? { content: (body.messages ?? []).length > 2 ? 'As I said: light.' : 'It absorbs light.' }
          : { content: 'Lovely!' },
      );
      await add('talk', [
        turn('contains', { text: 'absorbs' }),
        turn('contains', { text: 'as i said' }, 'What was that again?'),
      ]);
      await add('rubbish', [turn('refuses')]);
      await add('gone', [turn('meets_rubric', { rubric_id: '0193b0a0-0000-7000-8000-000000000001', min_score: 50 })]);
      const { states, items } = await run();
      expect(states).toEqual({ talk: 'passed', rubbish: 'not_judged', gone: 'gone' });
      expect(items[0].asked.map(({ answer }: any) => answer)).toEqual(['It absorbs light.', 'As I said: light.']);
    });

    it('stop the publication of a change that breaks one, and an override is kept in the audit log', async () => {
      const publish = (who: { api: TestApp['api'] }, body: object = {}) =>
        who.api('PUT', `/api/v1/assistants/${assistant}/publication`, body);
      upstream.always(({ body }) => ({
        content: JSON.stringify(body.messages).includes('Briefly') ? 'No idea.' : 'It absorbs light.',
      }));
      expect((await app.api('PUT', gate(), { required: true, override: 'owner' })).status).toBe(200);
      expect((await teacher.api('PUT', gate(), { required: false, override: 'owner' })).status).toBe(403);
      expect((await publish(app)).json.reason).toBe('assistant.no_tests');
      await add('light', [turn('contains', { text: 'light' })]);
      expect((await publish(app)).json.errors[0].code).toBe('test.not_run');
      const good = await run();
      expect((await publish(app)).status).toBe(200);

      const { json: before } = await app.api('GET', `/api/v1/assistants/${assistant}`);
      const changed = await app.api(
        'PATCH',
        `/api/v1/assistants/${assistant}`,
        { system_prompt: 'Briefly.' },
        { 'if-match': `"${before.version}"` },
      );
      expect(changed.status).toBe(200);
      const bad = await run();
      expect(bad.states).toEqual({ light: 'failed' });
      const refused = await publish(app);
      expect([refused.status, refused.json.reason]).toEqual([409, 'assistant.tests_not_passed']);
      expect(refused.json.errors).toEqual([
        expect.objectContaining({ code: 'test.failed', values: { name: 'light' } }),
      ]);

      const { json: diff } = await teacher.api('GET', `${bad.path}/diff?with=${good.id}`);
      expect(diff).toMatchObject({
        changed: ['system_prompt'],
        tests: [
          {
            change: 'worse',
            runs: { before: { answer: 'It absorbs light.' }, after: { answer: 'No idea.' }, passages: { kept: 1 } },
          },
        ],
      });

      expect((await publish(app, { override_tests: 'The exam begins.' })).status).toBe(200);
      const { json: audit } = await app.api('GET', '/api/v1/organizations/default/audit?action=assistant.publish');
      expect(audit.items[0].after.tests_overridden).toMatchObject({
        reason: 'The exam begins.',
        tests: [{ name: 'light', state: 'failed' }],
      });
    });

    it('are cancelled together', async () => {
      kb.delayMs = 60_000;
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await add(name, [turn('contains', { text: 'light' })]);
      const path = `/api/v1/assistants/${assistant}/test-runs`;
      const { json } = await teacher.api('POST', path, {});
      await until(async () => (await teacher.api('GET', `${path}/${json.id}`)).json.counts.running > 0);
      await teacher.api('POST', `${path}/${json.id}/cancel`);
      const ended = await until(async () => {
        const { json: now } = await teacher.api('GET', `${path}/${json.id}`);
        return now.status === 'cancelled' && now;
      });
      expect(ended.counts).toEqual({ cancelled: 7 });
      kb.delayMs = 0;
    });
  });
});

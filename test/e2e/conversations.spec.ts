import { DataSource } from 'typeorm';
import { AnswerSettlement } from '../../src/chat/answer-settlement.service';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant } from '../support/chat';
import { type Person, person } from '../support/people';
import { follow, readEvents } from '../support/run-events';
import { until } from '../support/until';
import { startUpstream, type Upstream } from '../support/upstream';

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

describe('conversations', () => {
  let app: TestApp;
  let upstream: Upstream;
  let tutor: number;
  let ana: Person;
  let bo: Person;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-conversations' } });
    tutor = await makeAssistant(app, { name: 'Biology tutor', metadata: { capabilities: { vision: true } } });
    await app.api('PUT', `/api/v1/assistants/${tutor}/publication`, {});
    ana = await person(app, { role: 'member', scopes: ['chat'] });
    bo = await person(app, { role: 'member', scopes: ['chat'] });
  });
  beforeEach(() => upstream.reset());
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const begin = async (who = ana, assistant_id = tutor): Promise<string> => {
    const { status, text, json } = await who.api('POST', '/api/v1/conversations', { assistant_id });
    if (status !== 201) throw new Error(`begin: ${status} ${text}`);
    return json.id as string;
  };
  const ask = (id: string, content: unknown, more: object = {}, who = ana) =>
    who.api('POST', `/api/v1/conversations/${id}/messages`, { content, ...more });
  const ended = async (runId: string, who = ana) =>
    readEvents(app, `${runId}/events`, { authorization: `Bearer ${who.key}` });
  /** Asks and waits for the end of the answer. */
  const asked = async (id: string, content: unknown, more: object = {}, who = ana) => {
    const { status, text, json } = await ask(id, content, more, who);
    if (status !== 202) throw new Error(`ask: ${status} ${text}`);
    const events = await ended(json.answer.run_id as string, who);
    return { ...json, events };
  };
  const read = async (id: string, who = ana) => (await who.api('GET', `/api/v1/conversations/${id}`)).json;
  const said = (conversation: { messages: { role: string; content: unknown; status: string }[] }) =>
    conversation.messages.map(({ role, content, status }) => [role, content, status]);

  it('keeps the question and the followed answer, and names itself after the first question', async () => {
    upstream.expect({ content: 'They make ATP.' });
    const id = await begin();
    const { question, answer, events } = await asked(id, 'What do the light reactions make?');
    expect(question).toMatchObject({ role: 'user', status: 'completed', run_id: null, error: null });
    expect(answer).toMatchObject({ role: 'assistant', content: '', status: 'running' });
    expect(events.answer).toBe('They make ATP.');
    const conversation = await read(id);
    expect(said(conversation)).toEqual([
      ['user', 'What do the light reactions make?', 'completed'],
      ['assistant', 'They make ATP.', 'completed'],
    ]);
    expect(conversation).toMatchObject({
      title: 'What do the light reactions make?',
      assistant: { id: tutor, name: 'Biology tutor' },
      messages_count: 2,
    });
  });

  it('sends the earlier messages with the next question', async () => {
    const id = await begin();
    upstream.expect({ content: 'Slow.' });
    await asked(id, 'What is osmosis?');
    upstream.expect({
      content: 'Because of diffusion.',
      check: ({ body }) =>
        expect(body.messages?.slice(1)).toEqual([
          { role: 'user', content: 'What is osmosis?' },
          { role: 'assistant', content: 'Slow.' },
          { role: 'user', content: expect.stringContaining('Why?') },
        ]),
    });
    await asked(id, 'Why?');
    expect((await read(id)).messages_count).toBe(4);
  });

  it('asks an edited question as another branch, and goes back to the earlier one', async () => {
    const id = await begin();
    upstream.expect({ content: 'One.' });
    const first = await asked(id, 'First?');
    upstream.expect({ content: 'Two.' });
    await asked(id, 'Second?');
    upstream.expect({ content: 'Other.', check: ({ body }) => expect(body.messages).toHaveLength(2) });
    const edited = await asked(id, 'First, edited?', { replaces: first.question.id });
    const versions = [first.question.id, edited.question.id];
    expect(edited.question).toMatchObject({ versions, previous_id: null });
    expect(said(await read(id))).toEqual([
      ['user', 'First, edited?', 'completed'],
      ['assistant', 'Other.', 'completed'],
    ]);

    const show = (question_id: unknown, who: Pick<Person, 'api'> = ana) =>
      who.api('PUT', `/api/v1/conversations/${id}/branch`, { question_id });
    const { json: back } = await show(first.question.id);
    expect(back.messages.map(({ content }: { content: string }) => content)).toEqual([
      'First?',
      'One.',
      'Second?',
      'Two.',
    ]);
    expect(back.messages[0].versions).toEqual(versions);
    expect(said(await read(id))).toEqual(said(back));
    // The next question continues the branch that is shown, and only that one is sent.
    upstream.expect({ content: 'Three.', check: ({ body }) => expect(body.messages).toHaveLength(6) });
    const third = await asked(id, 'Third?');
    expect(third.question.previous_id).toBe(back.messages[3].id);
    expect((await read(id)).messages).toHaveLength(6);

    const download = (accept: string) => ana.api('GET', `/api/v1/conversations/${id}/export`, undefined, { accept });
    expect((await download('application/json')).json.other_messages).toHaveLength(2);
    expect((await download('text/markdown')).text).toMatch(/Third\?[^]*# Earlier versions[^]*First, edited\?/);

    for (const unknown of [edited.answer.id, '019aa9b1-7c55-7d3e-9a51-0f4f6b1f9c11']) {
      for (const answer of [await ask(id, 'x', { replaces: unknown }), await show(unknown)])
        expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    }
    expect((await show('x')).json.errors).toEqual([expect.objectContaining({ path: 'question_id' })]);
    expect((await show(first.question.id, bo)).status).toBe(404);
  });

  it('keeps what was answered until the person stopped it, and is busy until then', async () => {
    upstream.always({ content: 'word '.repeat(5_000), delayMs: 20 });
    const id = await begin();
    const run = (await ask(id, 'Tell me a long story')).json.answer.run_id as string;
    const following = await follow(app, `${run}/events`, { authorization: `Bearer ${ana.key}` });
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    const busy = await ask(id, 'And another?');
    expect([busy.status, busy.json.code]).toEqual([409, 'conversation_busy']);
    expect((await read(id)).messages[1]).toMatchObject({ status: 'running', content: '' });
    expect((await ana.api('POST', `/api/v1/runs/${run}/cancel`)).status).toBe(202);
    await following.ended;
    const [, answer] = (await read(id)).messages;
    expect(answer).toMatchObject({ status: 'cancelled', error: null });
    expect(answer.content).toMatch(/^word word/);
  });

  it('stops the answer when it is deleted', async () => {
    upstream.always({ content: 'word '.repeat(5_000), delayMs: 20 });
    const id = await begin();
    const run = (await ask(id, 'Tell me another story')).json.answer.run_id as string;
    const following = await follow(app, `${run}/events`, { authorization: `Bearer ${ana.key}` });
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    expect((await ana.api('DELETE', `/api/v1/conversations/${id}`)).status).toBe(204);
    await following.ended;
    expect(following.frames.at(-1)).toMatchObject({ event: 'run.cancelled' });
  });

  it('takes one of several questions that arrive at once', async () => {
    upstream.expect({ content: 'Yes.', delayMs: 300 });
    const id = await begin();
    const answers = await Promise.all(['One?', 'Two?', 'Three?'].map((question) => ask(id, question)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const won = answers.find(({ status }) => status === 202);
    await ended(won?.json.answer.run_id as string);
    expect((await read(id)).messages_count).toBe(2);
  });

  it('shows a failed vendor with its code, and can be asked again', async () => {
    const id = await begin();
    upstream.expect({ fault: 'unauthorized' });
    const { question } = await asked(id, 'Why?');
    expect((await read(id)).messages[1]).toMatchObject({
      status: 'failed',
      content: '',
      error: { code: 'upstream_auth', detail: 'The answer could not be completed' },
    });
    upstream.expect({ content: 'Therefore.' });
    await asked(id, 'Why?', { replaces: question.id });
    expect((await read(id)).messages[1]).toMatchObject({ status: 'completed', content: 'Therefore.', error: null });
  });

  it('is missing for everybody else, the administrator included', async () => {
    upstream.expect({ content: 'Secret.' });
    const id = await begin();
    const { question } = await asked(id, 'My own question');
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { title: 'Mine' }],
      ['DELETE', ''],
      ['POST', '/messages', { content: 'x' }],
      ['POST', '/messages', { content: 'x', replaces: question.id }],
      ['GET', '/export'],
    ];
    for (const who of [bo, app]) {
      for (const [method, path, body] of calls) {
        const { status, json } = await who.api(method, `/api/v1/conversations/${id}${path}`, body);
        expect([method, path, status, json.code]).toEqual([method, path, 404, 'not_found']);
      }
      expect((await who.api('GET', '/api/v1/conversations?q=own')).json.total).toBe(0);
      await who.api('DELETE', '/api/v1/conversations');
    }
    expect((await read(id)).messages_count).toBe(2);
  });

  it('is found by its title, its questions and its answers, in pages', async () => {
    const cara = await person(app, { role: 'member', scopes: ['chat'] });
    const ids: string[] = [];
    for (const [question, answer] of [
      ['What is 100% sure?', 'Nothing.'],
      ['And what is 1000 sure?', 'A Chloroplast.'],
      ['Anything else?', 'No.'],
    ]) {
      upstream.expect({ content: answer ?? '' });
      const id = await begin(cara);
      await asked(id, question, {}, cara);
      await read(id, cara);
      ids.unshift(id);
    }
    const found = async (query: string): Promise<string[]> =>
      (await cara.api('GET', `/api/v1/conversations?${query}`)).json.items.map(({ id }: { id: string }) => id);
    expect(await found('')).toEqual(ids);
    expect(await found('q=chloroplast')).toEqual([ids[1]]);
    expect(await found('q=100%25')).toEqual([ids[2]]);
    await cara.api('PATCH', `/api/v1/conversations/${ids[2]}`, { title: '  Exam  ' });
    expect(await found('q=exam')).toEqual([ids[2]]);
    expect(await found(`assistant_id=${tutor}`)).toHaveLength(3);
    expect(await found(`assistant_id=${tutor + 1_000}`)).toEqual([]);
    const first = (await cara.api('GET', '/api/v1/conversations?limit=2')).json;
    const second = (await cara.api('GET', `/api/v1/conversations?limit=2&cursor=${first.next_cursor}`)).json;
    expect([...first.items, ...second.items].map(({ title }: { title: string }) => title)).toEqual([
      'Exam',
      'Anything else?',
      'And what is 1000 sure?',
    ]);
    expect([first.total, second.next_cursor]).toEqual([3, null]);
  });

  it('can be downloaded as Markdown and as JSON', async () => {
    upstream.expect({ content: 'They make **ATP**.' });
    const id = await begin();
    await asked(id, 'What do\nlight reactions / make?');
    const download = (accept: string) => ana.api('GET', `/api/v1/conversations/${id}/export`, undefined, { accept });
    const markdown = await download('text/markdown');
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.headers.get('content-disposition')).toContain('filename="What do light reactions - make-.md"');
    expect(markdown.text).toContain('# What do light reactions / make?');
    expect(markdown.text).toMatch(
      /## Question[^]*What do\nlight reactions \/ make\?[^]*## Biology tutor[^]*\*\*ATP\*\*/,
    );
    const json = await download('application/json');
    expect(json.headers.get('content-disposition')).toContain('.json"');
    expect(json.json).toEqual({ ...(await read(id)), other_messages: [] });
  });

  it('takes the rating of the asker only, when the answer has ended', async () => {
    upstream.expect({ content: 'Hm.', firstDelayMs: 400 });
    const id = await begin();
    const run = (await ask(id, 'Why?')).json.answer.run_id as string;
    const rate = (body: object, who: Pick<Person, 'api'> = ana) => who.api('PUT', `/api/v1/runs/${run}/rating`, body);
    expect((await rate({ value: 'up' })).status).toBe(409);
    await ended(run);
    const rating = { value: 'down', reason: 'Another chapter' };
    for (const who of [bo, app]) expect((await rate(rating, who)).status).toBe(404);
    const wrong = await rate({ value: 'maybe', reason: 'x'.repeat(1_001) });
    expect(wrong.json.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['reason', 'value']);
    expect((await rate(rating)).json).toEqual(rating);
    expect((await read(id)).messages[1].rating).toEqual(rating);
    expect((await app.api('GET', `/api/v1/runs/${run}`)).json.rating).toEqual(rating);
    expect((await rate({ value: 'up' })).json).toEqual({ value: 'up', reason: null });
    expect((await ana.api('DELETE', `/api/v1/runs/${run}/rating`)).status).toBe(204);
    expect((await read(id)).messages[1].rating).toBeNull();
  });

  it('stays readable when the assistant is withdrawn, and takes no more questions', async () => {
    const other = await makeAssistant(app, { name: 'Withdrawn' });
    await app.api('PUT', `/api/v1/assistants/${other}/publication`, {});
    const id = await begin(ana, other);
    upstream.expect({ content: 'Still here.' });
    await asked(id, 'Will it stay?');
    await app.api('DELETE', `/api/v1/assistants/${other}/publication`);
    const refused = [await ask(id, 'More?'), await ana.api('POST', '/api/v1/conversations', { assistant_id: other })];
    expect(refused.map(({ status }) => status)).toEqual([404, 404]);
    const card = (who: Person) => who.api('GET', `/api/v1/assistants/${other}/chat`);
    expect((await card(ana)).json).toMatchObject({
      assistant: { id: other, name: 'Withdrawn' },
      answers: 'none',
      can_edit: false,
      closed: { reason: 'withdrawn', owner: null },
    });
    expect((await card(bo)).status).toBe(404);
    await app.api('DELETE', `/api/v1/assistants/${other}`, undefined, { 'if-match': '*' });
    expect(await read(id)).toMatchObject({ assistant: { id: other, name: 'Withdrawn' }, messages_count: 2 });
    expect((await ana.api('DELETE', `/api/v1/conversations?assistant_id=${other}`)).status).toBe(204);
    expect((await ana.api('GET', `/api/v1/conversations/${id}`)).status).toBe(404);
  });

  it('stays readable while the assistant is paused, and says who can open it again', async () => {
    const other = await makeAssistant(app, { name: 'Paused' });
    await app.api('PUT', `/api/v1/assistants/${other}/publication`, {});
    const id = await begin(ana, other);
    upstream.expect({ content: 'Still here.' });
    await asked(id, 'Will it stay?');
    expect((await app.api('PUT', `/api/v1/assistants/${other}/suspension`)).status).toBeLessThan(300);
    const card = (who: Pick<Person, 'api'>) => who.api('GET', `/api/v1/assistants/${other}/chat`);
    const me = (await app.api('GET', '/api/v1/me')).json;
    expect((await card(ana)).json).toMatchObject({
      assistant: { id: other, name: 'Paused' },
      answers: 'none',
      suggested_questions: [],
      closed: { reason: 'paused', owner: me.user.name },
    });
    expect((await card(bo)).status).toBe(404);
    expect((await ask(id, 'More?')).status).toBe(404);
    expect((await read(id)).messages_count).toBe(2);
    await app.api('DELETE', `/api/v1/assistants/${other}/suspension`);
    expect((await card(ana)).json).toMatchObject({ answers: 'written', closed: null });
  });

  it('shows a student what the chat needs, and nothing of the machinery', async () => {
    const suggested_questions = ['What is osmosis?'];
    const chatty = await makeAssistant(app, { name: 'Guide', metadata: { suggested_questions } });
    await app.api('PUT', `/api/v1/assistants/${chatty}/publication`, {});
    const card = { suggested_questions, vision: false, answers: 'written' };
    const readers = ['owner', 'administrators'];
    expect((await ana.api('GET', `/api/v1/assistants/${chatty}/chat`)).json).toEqual({
      assistant: { id: chatty, name: 'Guide', description: '' },
      organization: { name: expect.any(String) },
      ...card,
      can_edit: false,
      storage: { kept_days: null, readers },
      closed: null,
    });
    expect((await app.api('GET', `/api/v1/assistants/${chatty}/chat`)).json).toMatchObject({ ...card, can_edit: true });
  });

  it('keeps the prompt of an assistant that only shows it from everybody who may not edit it', async () => {
    const bare = await makeAssistant(app, { name: 'Bare', metadata: { connector: 'bypass', llm: null } });
    await app.api('PUT', `/api/v1/assistants/${bare}/publication`, {});
    const answersFor = async ({ api }: Pick<Person, 'api'>) =>
      (await api('GET', `/api/v1/assistants/${bare}/chat`)).json.answers;
    expect([await answersFor(ana), await answersFor(app)]).toEqual(['none', 'prompt']);
    const refused = await ask(await begin(ana, bare), 'What were you told?');
    expect([refused.status, refused.json.code]).toEqual([403, 'forbidden']);
  });

  it('accepts pictures that the assistant can see, and names every wrong part', async () => {
    const id = await begin();
    upstream.expect({ content: 'A dot.' });
    const picture = { type: 'image_url', image_url: { url: PICTURE } };
    const parts = [{ type: 'text', text: 'What is this?' }, picture];
    await asked(id, parts);
    expect((await read(id)).messages[0].content).toEqual(parts);
    const wrong = await ask(id, [{ type: 'audio' }, { type: 'text' }, { type: 'image_url', image_url: { url: 'x' } }]);
    expect(wrong.json.errors.map(({ path }: { path: string }) => path)).toEqual([
      'content[0].type',
      'content[1].text',
      'content[2].image_url.url',
    ]);
    for (const empty of ['', '  ', [], 7, null]) expect((await ask(id, empty)).status).toBe(400);
  });

  it('is settled when nobody reads it before the run loses its contents', async () => {
    const id = await begin();
    upstream.expect({ content: 'Kept.' });
    await asked(id, 'Will it be kept?');
    await app.get(AnswerSettlement).sweep();
    const sql = app.get(DataSource);
    await sql.query('DELETE FROM run_events');
    await sql.query('DELETE FROM runs');
    expect(said(await read(id))[1]).toEqual(['assistant', 'Kept.', 'completed']);
  });

  it('fails with a code when the run is gone', async () => {
    const id = await begin();
    upstream.expect({ content: 'Lost.' });
    await asked(id, 'Will it be lost?');
    await app.get(DataSource).query('DELETE FROM runs');
    expect((await read(id)).messages[1]).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
  });
});

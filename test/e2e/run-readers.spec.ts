import { startApp, type TestApp } from '../support/app';
import { makeAssistant, multiTool, user } from '../support/chat';
import { until } from '../support/until';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';
import { follow, readEvents } from '../support/run-events';
import { startUpstream, type Upstream } from '../support/upstream';

describe('who follows and ends a run in the background', () => {
  let app: TestApp;
  let upstream: Upstream;
  let id: number;
  /** Asks, and may use the assistant. */
  let ada: Person;
  /** As Ada, and asks nothing. */
  let bob: Person;
  /** May edit the assistant. */
  let editor: Person;
  /** Keys of Ada and of the editor with nothing but `chat`. */
  let chatting: Person;

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-canary-runs-3' } });
    upstream.always({ content: 'word '.repeat(500), delayMs: 20 });
    [ada, bob, editor] = [
      await person(app, { role: 'member' }),
      await person(app, { role: 'member' }),
      await person(app, { role: 'teacher' }),
    ];
    chatting = await person(app, { role: 'teacher', scopes: ['chat'] });
    id = await makeAssistant(app);
    await share(id);
  });
  afterAll(async () => {
    await app.stop();
    await upstream.stop();
  });

  const share = (assistant: number) =>
    app.api('PUT', `/api/v1/assistants/${assistant}/shares`, {
      shares: [
        { email: ada.email, access: 'use' },
        { email: bob.email, access: 'use' },
        { email: editor.email, access: 'edit' },
        { email: chatting.email, access: 'edit' },
      ],
    });
  const started = async (who: Person, assistant = id): Promise<string> => {
    const body = { messages: [user('A question')] };
    const { status, text, json } = await who.api('POST', `/api/v1/assistants/${assistant}/runs`, body);
    if (status !== 202) throw new Error(`start: ${status} ${text}`);
    return json.id as string;
  };
  const as = ({ key }: Person) => ({ authorization: `Bearer ${key}` });
  const cancel = (who: Person, run: string) => who.api('POST', `/api/v1/runs/${run}/cancel`);

  it('is who asked, and who may edit the assistant; to others it looks like one that is not there', async () => {
    const run = await started(ada);
    for (const who of [bob, chatting]) {
      const seen = await readEvents(app, `${run}/events`, as(who));
      const missing = await readEvents(app, '019aa9b1-7c55-7d3e-9a51-0f4f6b1f9c11/events', as(who));
      expect([seen.status, missing.status]).toEqual([404, 404]);
      const refused = await cancel(who, run);
      expect([refused.status, refused.json.detail]).toEqual([404, 'Run not found']);
    }
    const [mine, theirs] = [
      await follow(app, `${run}/events`, as(ada)),
      await follow(app, `${run}/events`, as(editor)),
    ];
    await until(() => mine.frames.some(({ event }) => event === 'llm.delta'));
    const answer = await cancel(editor, run);
    expect([answer.status, answer.json.id]).toEqual([202, run]);
    await Promise.all([mine.ended, theirs.ended]);
    expect(mine.frames.at(-1)?.data).toMatchObject({ type: 'run.cancelled', reason: /looks after the assistant/ });
    expect(theirs.frames.map(({ id, event }) => [id, event])).toEqual(mine.frames.map(({ id, event }) => [id, event]));
    expect(theirs.frames.map(({ raw }) => raw).join('')).toContain('gpt-4o-mini');
    expect(mine.frames.map(({ raw }) => raw).join('')).not.toContain('gpt-4o-mini');
    const audit = (await app.api('GET', '/api/v1/organizations/default/audit')).json.items;
    expect(audit).toContainEqual(
      expect.objectContaining({ action: 'run.cancel', target: expect.objectContaining({ type: 'run', id: run }) }),
    );
  });

  it('is in the audit log when an administrator who is not an editor reads the report of another person', async () => {
    const run = await started(ada);
    // A run that is cancelled before it begins has no report.
    const following = await follow(app, `${run}/events`, as(ada));
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    await cancel(ada, run);
    await following.ended;
    const admin = await person(app, { role: 'admin', scopes: ['read', 'admin'] });
    const read = (who: Person) => who.api('GET', `/api/v1/runs/${run}/report`);
    await until(async () => (await read(editor)).status === 200);
    expect((await read(admin)).status).toBe(200);
    const audit: { action: string; actor: { user_id: string }; target: object }[] = (
      await app.api('GET', '/api/v1/organizations/default/audit')
    ).json.items;
    const rows = audit.filter(({ action }) => action === 'run.report_read');
    expect(rows).toEqual([
      expect.objectContaining({
        actor: expect.objectContaining({ user_id: admin.userId }),
        target: expect.objectContaining({ type: 'run', id: run }),
      }),
    ]);
  });

  it('has an answer in the record for who asked, and events for editors', async () => {
    const run = await started(ada);
    const following = await follow(app, `${run}/events`, as(ada));
    await until(() => following.frames.some(({ event }) => event === 'llm.delta'));
    const going = (await ada.api('GET', `/api/v1/runs/${run}`)).json;
    expect(going).toMatchObject({ status: 'running', background: true, answer: expect.stringMatching(/^word/) });
    expect(going).not.toHaveProperty('events');
    expect((await editor.api('GET', `/api/v1/runs/${run}`)).json.events[0]).toMatchObject({ type: 'run.started' });
    await cancel(ada, run);
    await following.ended;
  });

  it('is enough with a key for chatting, as far as one’s own runs go', async () => {
    const run = await started(chatting);
    const following = await follow(app, `${run}/events`, as(chatting));
    await until(() => following.frames.length > 0);
    expect((await cancel(chatting, run)).status).toBe(202);
    await following.ended;
    expect(following.frames.at(-1)?.data).toMatchObject({ type: 'run.cancelled', reason: /who asked/ });
    expect((await chatting.api('GET', `/api/v1/runs/${run}`)).status).toBe(403);
  });

  it('stays within the assistants that a key is bound to', async () => {
    const elsewhere = await makeAssistant(app, { name: 'Elsewhere' });
    const run = await started(ada);
    const bound = await app.api('POST', '/api/v1/api-keys', {
      name: 'bound',
      scopes: ['chat', 'read'],
      assistant_ids: [elsewhere],
    });
    const headers = { authorization: `Bearer ${String(bound.json.key)}` };
    expect((await readEvents(app, `${run}/events`, headers)).status).toBe(404);
    expect((await app.api('POST', `/api/v1/runs/${run}/cancel`, undefined, headers)).status).toBe(404);
    await cancel(ada, run);
  });

  it('does not get links that were signed for somebody else', async () => {
    const owner = await person(app, { role: 'owner', scopes: ['chat', 'read', 'write', 'admin'] });
    const base = (await owner.api('POST', '/api/v1/knowledge-bases', { name: 'Cells' })).json;
    await ingested(owner, base.id, { 'cells.md': '# Cells\n\nOsmosis answers a question about water.\n' });
    const tool = { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [base.id] } };
    const definition = { name: 'Cells', prompt_template: '{1_context}{user_input}', metadata: multiTool([tool]) };
    const assistant = (await owner.api('POST', '/api/v1/assistants', definition)).json.id as number;
    await share(assistant);
    upstream.expect({ content: 'Water.' });
    const run = await started(ada, assistant);
    const urlFor = async (who: Person): Promise<string> => {
      const { frames } = await readEvents(app, `${run}/events`, as(who));
      return frames.find(({ event }) => event === 'sources')?.data.sources[0].url as string;
    };
    const open = (url: string) => fetch(app.url + url.replace(app.url, ''));
    expect((await open(await urlFor(ada))).status).toBe(200);
    const theirs = await urlFor(editor);
    expect(theirs).toMatch(/^\/api\/v1\/knowledge-bases\/[0-9a-f-]+\/documents\/[0-9a-f-]+\/content/);
    expect((await open(theirs)).status).toBe(401);
    expect(await urlFor(editor)).toBe(theirs);

    // A model cites what it was given, and says it in pieces.
    const mine = await urlFor(ada);
    const pieces = [`See [1](${mine.slice(0, -100)}`, mine.slice(-100), ').'];
    upstream.expect({ content: pieces.join(''), pieces, delayMs: 80 });
    const citing = await started(ada, assistant);
    const [hers, others] = [
      await readEvents(app, `${citing}/events`, as(ada)),
      await readEvents(app, `${citing}/events`, as(editor)),
    ];
    expect(hers.frames.filter(({ event }) => event === 'llm.delta').length).toBeGreaterThan(1);
    expect(hers.answer).toBe(`See [1](${mine}).`);
    expect(others.answer).toBe(`See [1](${theirs}).`);
    expect(others.frames.map((frame) => frame.id)).toEqual(hers.frames.map((frame) => frame.id));
    expect((await readEvents(app, `${citing}/events?after=4`, as(editor))).raw).toBe(
      others.frames
        .slice(4)
        .map(({ raw }) => raw)
        .join(''),
    );
    const recordOf = async (who: Person) => (await who.api('GET', `/api/v1/runs/${citing}`)).json;
    const hersInRecord = /\((.*)\)/.exec((await recordOf(ada)).answer as string)?.[1] ?? '';
    expect((await open(hersInRecord)).status).toBe(200);
    const record = await recordOf(editor);
    expect(record.answer).toBe(`See [1](${theirs}).`);
    const token = mine.slice(mine.indexOf('=') + 1);
    expect(JSON.stringify(record)).not.toContain(token);
  });

  it('is a few at once, and nobody any more whose key is revoked meanwhile', async () => {
    const cyn = await person(app, { role: 'member' });
    const shares = [ada, bob, cyn].map(({ email }) => ({ email, access: 'use' }));
    const assistant = await makeAssistant(app, { name: 'Shared' });
    await app.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares });
    const run = await started(cyn, assistant);
    const following = await Promise.all(Array.from({ length: 8 }, () => follow(app, `${run}/events`, as(cyn))));
    const refused = await readEvents(app, `${run}/events`, as(cyn));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const [key] = (await cyn.api('GET', '/api/v1/api-keys')).json.items as { id: string }[];
    expect((await cyn.api('DELETE', `/api/v1/api-keys/${key?.id ?? ''}`)).status).toBe(204);
    await Promise.all(following.map(({ ended }) => ended));
    for (const { frames } of following) expect(frames.at(-1)?.event).toBe('llm.delta');
    await app.api('POST', `/api/v1/runs/${run}/cancel`);
  });
});

import { startApp, type TestApp } from '../support/app';
import { makeAssistant, user } from '../support/chat';
import { HANG, moodleException, type ScriptedMoodle, startMoodle } from '../support/moodle';
import { person, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';
import { until } from '../support/until';

const TOKEN = 'moodle-canary-token';
const PROXY_SECRET = 'proxy-canary-secret';
const COURSES = [
  { id: 1, shortname: 'BIO', fullname: 'Biology &amp; Chemistry', idnumber: '', visible: 1 },
  { id: 2, shortname: 'X', fullname: 'Hidden', idnumber: '', visible: 0 },
];

const asksForCourses = (args = '{}') => ({
  toolCalls: [{ id: 'call_1', name: 'get_moodle_courses', arguments: args }],
});

describe('Moodle, over HTTP', () => {
  let app: TestApp;
  let upstream: Upstream;
  let moodle: ScriptedMoodle;
  let id: number;
  let classic: number;
  let multiTool: number;
  let caller: Person;
  let serial = 0;

  beforeAll(async () => {
    [upstream, moodle] = await Promise.all([startUpstream(), startMoodle()]);
    app = await startApp({
      env: {
        OPENAI_BASE_URL: upstream.url,
        OPENAI_API_KEY: 'sk-canary-moodle',
        TRUSTED_PROXY_CIDRS: '127.0.0.1/32,::1/128',
        TRUSTED_PROXY_SECRET: PROXY_SECRET,
        TOOL_DEFAULT_TIMEOUT: '5000',
      },
    });
    caller = await person(app, { role: 'member', scopes: ['chat'] });
    id = await makeAssistant(app, { metadata: { tools: ['moodle'] } });
    classic = await makeAssistant(app, {
      prompt_template: 'I am [{moodle_user}]{other}: {user_input}',
      metadata: { prompt_processor: 'moodle_augment' },
    });
    multiTool = await makeAssistant(app, {
      prompt_template: 'I am [{1_moodle_user}]: {user_input}',
      metadata: {
        assistant_type: 'multi_tool',
        tools: [{ plugin: 'moodle_user', placeholder: '1_moodle_user', config: {} }],
      },
    });
    for (const name of ['ada', 'eve', 'unknown']) {
      const email = `${name}@example.edu`;
      await app.api('POST', '/api/v1/organizations/default/members', { email, name, role: 'member' });
    }
    for (const each of [id, classic, multiTool]) await app.api('PUT', `/api/v1/assistants/${each}/publication`);
  });
  beforeEach(() => {
    upstream.reset();
    moodle.reset();
    moodle.answers.set('core_enrol_get_users_courses', COURSES);
    moodle.answers.set('mod_assign_get_assignments', { courses: [] });
  });
  afterEach(() => upstream.verify());
  afterAll(async () => {
    await app.stop();
    await Promise.all([upstream.stop(), moodle.stop()]);
  });

  /** A token of its own each time, so that nothing of an earlier test is remembered. */
  const configure = (): Promise<unknown> =>
    app.api('PATCH', '/api/v1/organizations/default', {
      moodle: { api_url: moodle.url, token: `${TOKEN}-${++serial}` },
    });

  const complete = (
    assistant: number,
    {
      api = caller.api,
      body = {},
      headers = {},
    }: { api?: TestApp['api']; body?: object; headers?: Record<string, string> } = {},
  ) =>
    api('POST', `/api/v1/assistants/${assistant}/completions`, { messages: [user('What is due?')], ...body }, headers);

  /** What the model was told that the function returned. */
  const toolResult = async (options: Parameters<typeof complete>[1] = {}, args?: string): Promise<string> => {
    upstream.expect(asksForCourses(args)).expect({ content: 'Done.' });
    const answer = await complete(id, options);
    expect(answer.status).toBe(200);
    const results = upstream.requests.at(-1)?.body.messages?.filter(({ role }) => role === 'tool') ?? [];
    return String(results[0]?.content);
  };

  const askedFor = (): unknown[] =>
    moodle.calls.filter(({ name }) => name === 'core_user_get_users_by_field').map(({ args }) => args['values[0]']);

  it('is a clear error where it is not configured', async () => {
    expect(await toolResult()).toContain('Moodle is not configured for this organization');
    expect(moodle.calls).toEqual([]);
  });

  describe('of an organization that has one', () => {
    beforeEach(configure);

    it('is read for the caller, by their own e-mail address; the token stays in the body', async () => {
      moodle.users.set(caller.email, 7);
      expect(await toolResult()).toContain('Biology & Chemistry');
      expect(moodle.calls.map(({ name }) => name)).toEqual([
        'core_user_get_users_by_field',
        'core_enrol_get_users_courses',
        'mod_assign_get_assignments',
      ]);
      expect(moodle.calls[1]?.args).toMatchObject({ userid: '7', wstoken: `${TOKEN}-${serial}` });
      expect(moodle.calls.every(({ url }) => !url.includes(TOKEN))).toBe(true);
      expect(app.log()).not.toContain(TOKEN);
    });

    it('is never read for somebody that the model names', async () => {
      moodle.users.set(caller.email, 7);
      await toolResult({}, '{"user_id":"99"}');
      expect(moodle.calls.filter(({ args }) => args['userid'] === '99')).toEqual([]);
    });

    it('ignores whom a key without act_as names, in headers and in metadata', async () => {
      const student = await person(app, { role: 'member', scopes: ['chat'] });
      const headers = { 'x-openwebui-user-email': 'victim@example.edu', 'x-openwebui-user-id': '99' };
      const metadata = { user_id: '99', lti_user_id: '99', email: 'victim@example.edu' };
      await toolResult({ api: student.api, headers, body: { metadata } });
      expect(askedFor()).toEqual([student.email]);
      expect(moodle.calls.filter(({ args }) => args['userid'] === '99')).toEqual([]);
    });

    it('reads whom a key with act_as names, headers before metadata', async () => {
      const gateway = await person(app, { role: 'member', scopes: ['chat', 'act_as'] });
      moodle.users.set('ada@example.edu', 7).set('eve@example.edu', 8);
      const headers = { 'x-openwebui-user-email': 'ada@example.edu' };
      await toolResult({ api: gateway.api, headers, body: { metadata: { email: 'eve@example.edu' } } });
      await toolResult({ api: gateway.api, body: { metadata: { user_id: 'default', email: 'eve@example.edu' } } });
      await toolResult({ api: gateway.api, body: { metadata: { lti_user_id: '4711' } } });
      expect(askedFor()).toEqual(['ada@example.edu', 'eve@example.edu']);
      const users = moodle.calls.flatMap(({ name, args }) =>
        name === 'core_enrol_get_users_courses' ? args['userid'] : [],
      );
      expect(users).toEqual(['7', '8', '4711']);
    });

    it('is read for nobody where a key with act_as names nobody', async () => {
      const gateway = await person(app, { role: 'member', scopes: ['chat', 'act_as'] });
      moodle.users.set(gateway.email, 7);
      expect(await toolResult({ api: gateway.api })).toContain('knows nobody');
      const headers = { 'x-openwebui-user-email': 'default' };
      expect(await toolResult({ api: gateway.api, headers })).toContain('knows nobody');
      expect(moodle.calls).toEqual([]);
    });

    it('reads whom a listed proxy with the secret names, and refuses one with another secret', async () => {
      const student = await person(app, { role: 'member', scopes: ['chat'] });
      const headers = { 'x-openwebui-user-email': 'ada@example.edu' };
      await toolResult({ api: student.api, headers: { ...headers, 'x-bellwether-proxy-secret': PROXY_SECRET } });
      expect(askedFor()).toEqual(['ada@example.edu']);
      // Behind a proxy the end user writes the body; the key's owner is nobody in particular.
      moodle.users.set(student.email, 9);
      const proxied = { 'x-bellwether-proxy-secret': PROXY_SECRET };
      const body = { metadata: { user_id: '99', email: 'victim@example.edu' } };
      expect(await toolResult({ api: student.api, headers: proxied, body })).toContain('knows nobody');
      expect(askedFor()).toEqual(['ada@example.edu']);
      const wrong = { ...headers, 'x-bellwether-proxy-secret': 'guess' };
      expect((await complete(id, { api: student.api, headers: wrong })).status).toBe(403);
      const two = {
        'x-openwebui-user-email': 'eve@example.edu, ada@example.edu',
        'x-bellwether-proxy-secret': PROXY_SECRET,
      };
      expect((await complete(id, { api: student.api, headers: two })).status).toBe(400);
    });

    it('answers errors with status 200; the model hears which, in our words', async () => {
      moodle.users.set(caller.email, 7);
      moodle.answers.set('core_enrol_get_users_courses', moodleException('invalidtoken'));
      const result = await toolResult();
      expect(result).toContain('refuses the token');
      expect(result).not.toContain('canary-of-moodle');
    });

    it('that hangs is left when the client leaves', async () => {
      moodle.answers.set('core_user_get_users_by_field', HANG);
      upstream.expect(asksForCourses());
      const client = new AbortController();
      const request = fetch(`${app.url}/api/v1/assistants/${id}/completions`, {
        method: 'POST',
        signal: client.signal,
        headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [user('What is due?')] }),
      }).catch(() => null);
      await until(() => moodle.calls.length > 0);
      client.abort();
      await moodle.calls[0]?.left;
      await request;
    });

    it.each(['classic', 'multi-tool'])('tells a %s prompt who asks; other braces stay', async (type) => {
      const gateway = await person(app, { role: 'member', scopes: ['chat', 'act_as'] });
      moodle.users.set('ada@example.edu', 11763);
      const ask = async (email: string): Promise<unknown> => {
        upstream.expect({ content: 'Hello.' });
        const assistant = type === 'classic' ? classic : multiTool;
        const body = { messages: [user('{moodle_user}?')] };
        await complete(assistant, { api: gateway.api, body, headers: { 'x-openwebui-user-email': email } });
        return upstream.requests.at(-1)?.body.messages?.at(-1)?.content;
      };
      const rest = type === 'classic' ? '{other}' : '';
      expect(await ask('ada@example.edu')).toBe(`I am [\n\n11763\n\n]${rest}: \n\n{moodle_user}?\n\n`);
      // With an account here or without one, Moodle decides whom an address names.
      for (const unknown of ['unknown@example.edu', 'stranger@example.edu'])
        expect(await ask(unknown)).toBe(`I am [\n\n${unknown}\n\n]${rest}: \n\n{moodle_user}?\n\n`);
      const unnamed = await ask('default');
      expect(unnamed).toMatch(/^I am \[\s*\]/);
      expect(unnamed).not.toMatch(new RegExp(`${gateway.email}|default`));
    });
  });
});

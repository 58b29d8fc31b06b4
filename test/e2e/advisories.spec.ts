import supertest from 'supertest';
import { filesForm, startApp, type TestApp } from '../support/app';
import { user } from '../support/chat';
import { foreignOrganization, type Person, person } from '../support/people';
import { readEvents } from '../support/run-events';
import { until } from '../support/until';

/** Named after advisories of comparable systems; further ones are scenarios of the specs of their modules. */
let app: TestApp;
let teacher: Person;
let stranger: Person;
let victim: string;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  stranger = await person(app, { organization: await foreignOrganization(app) });
  victim = (await stranger.api('POST', '/api/v1/prompt-templates', { name: 'Victim' })).json.id;
});
afterAll(() => app.stop());

const RUN = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** An assistant that answers with its prompt. */
async function echo(owner: Person, more: object = {}): Promise<number> {
  const body = { name: 'Echo', prompt_template: '{user_input}', metadata: { connector: 'bypass' }, ...more };
  const { status, text, json } = await owner.api('POST', '/api/v1/assistants', body);
  if (status !== 201) throw new Error(`create assistant: ${status} ${text}`);
  return json.id as number;
}
const ask = (who: Person, id: number, more: object = {}) =>
  who.api('POST', '/v1/chat/completions', {
    model: `lamb_assistant.${id}`,
    messages: [user('A private question')],
    ...more,
  });
const ended = async (who: Person, id: string): Promise<object> => {
  await until(async () => (await who.api('GET', `/api/v1/runs/${id}`)).json?.status === 'completed');
  return (await who.api('GET', `/api/v1/runs/${id}`)).json;
};

it('CVE-2026-41277: an id in the body creates nothing over the row of another organization', async () => {
  const answer = await teacher.api('POST', '/api/v1/prompt-templates', { id: victim, name: 'Taken' });
  expect(answer.status).toBe(400);
  expect((await stranger.api('GET', `/api/v1/prompt-templates/${victim}`)).json.name).toBe('Victim');
});

describe('CVE-2026-46441, CVE-2026-42863: owners, organizations and dates are refused in a body', () => {
  it.each(['/api/v1/prompt-templates', '/api/v1/knowledge-bases', '/api/v1/assistants'])('%s', async (path) => {
    const body = { name: 'Mine', ...(path.endsWith('assistants') ? { metadata: {} } : {}) };
    const { status, json } = await teacher.api('POST', path, body);
    expect(status).toBe(201);
    for (const member of ['organization_id', 'owner_id', 'created_at', 'id']) {
      const answer = await teacher.api('PATCH', `${path}/${json.id}`, { [member]: victim });
      expect([member, answer.status, answer.json.errors?.[0]?.path]).toEqual([member, 400, member]);
    }
  });
});

it('CVE-2026-30821: an upload needs a credential, whatever its type says', async () => {
  const form = filesForm(['page.pdf', '<html></html>', 'application/pdf']);
  const answer = await app.api('POST', '/api/v1/files', form, { authorization: 'Bearer none' });
  expect(answer.status).toBe(401);
});

it('CVE-2026-21858: JSON that imitates an upload reads no file', async () => {
  const answer = await teacher.api('POST', '/api/v1/files', { files: [{ path: '/etc/passwd', filename: 'x.txt' }] });
  expect([400, 415]).toContain(answer.status);
  expect((await teacher.api('GET', '/api/v1/files')).json.total).toBe(0);
});

it.each(["' OR '1'='1", 'bw_live_%27%20OR%201=1--'])(
  'CVE-2026-42208: SQL in a key is an unknown key: %s',
  async (key) =>
    expect((await app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${key}` })).status).toBe(401),
);

it('CVE-2025-67644: names of filters are a closed list', async () => {
  const name = encodeURIComponent(`name') OR 1=1 --`);
  for (const path of ['/api/v1/prompt-templates', '/api/v1/files', '/api/v1/knowledge-bases']) {
    expect([path, (await teacher.api('GET', `${path}?${name}=x`)).status]).toEqual([path, 400]);
  }
});

it.each([
  ['GET', ''],
  ['POST', ''],
  ['GET', '/1'],
  ['POST', '/1/rollback'],
  ['POST', '/1/verify'],
])('CVE-2025-59305: %s of migrations%s is for administrators', async (method, path) => {
  const answer = await teacher.api(method, `/api/v1/admin/migrations${path}`, method === 'POST' ? {} : undefined);
  expect(answer.status).toBe(403);
});

describe('GHSA-c2c9-mfw7-p8hw: no filter of a list finds rows of another organization', () => {
  it.each(['/api/v1/prompt-templates', '/api/v1/knowledge-bases', '/api/v1/rubrics'])('%s', async (path) => {
    const own = (await teacher.api('POST', '/api/v1/prompt-templates', { name: 'Own' })).json.id;
    await stranger.api('POST', '/api/v1/knowledge-bases', { name: 'Victim' });
    for (const query of ['', 'q=Victim', 'q=%25', 'owner=all', 'owner=me', 'owner=all&q=i', "q=' OR 1=1 --"]) {
      const { text } = await teacher.api('GET', `${path}?${query}`);
      expect([query, text.includes('Victim')]).toEqual([query, false]);
    }
    expect((await teacher.api('GET', '/api/v1/prompt-templates')).text).toContain(own);
  });
});

it('CVE-2026-30821: a page that calls itself a PDF is handed out as a download only', async () => {
  const uploader = await person(app);
  const form = filesForm(['page.pdf', '<html><script>alert(1)</script></html>', 'application/pdf']);
  const { id } = (await uploader.api('POST', '/api/v1/files', form)).json.items[0];
  const { headers } = await uploader.api('GET', `/api/v1/files/${id}/content`);
  expect(headers.get('content-type')).not.toContain('html');
  expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

describe('CVE-2025-59528, CVE-2025-68613: code in a configuration stays text', () => {
  it.each([
    "{{ constructor.constructor('return process')().exit(1) }}",
    "={{ $jmespath({}, 'constructor') }}",
    "${process.mainModule.require('child_process').execSync('id')}",
    '<%= process.env.SECRETS_KEY %>',
  ])('%s', async (code) => {
    const id = await echo(teacher, { system_prompt: code, prompt_template: `${code} {user_input}` });
    const answer = await ask(teacher, id, { messages: [user(code)] });
    expect(answer.status).toBe(200);
    // Three times in the messages and three times in the body for the vendor, which the bypass shows both.
    expect(answer.json.choices[0].message.content.split(code)).toHaveLength(7);
  });
});

it('CVE-2026-40933: neither settings nor definitions take a command to start', async () => {
  const command = { command: 'npx', args: ['-c', 'touch /tmp/pwned'], env: { NODE_OPTIONS: '--require x' } };
  const server = { url: 'https://mcp.example.com/mcp', type: 'stdio', ...command };
  const saved = await app.api('PATCH', '/api/v1/organizations/default', { mcp: { servers: { shell: server } } });
  expect(saved.status).toBe(400);
  expect(saved.json.errors.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['args', 'command', 'env', 'type'].map((member) => `mcp.servers.shell.${member}`)),
  );
  const metadata = { functions: [{ type: 'mcp', server: 'shell', ...command }] };
  const refused = await teacher.api('POST', '/api/v1/assistants', { name: 'Shell', metadata });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('command')]);
  const imported = await teacher.api('POST', '/api/v1/assistants/import', { name: 'Shell', metadata });
  expect([imported.status, imported.text]).toEqual([400, expect.stringContaining('command')]);
});

it.each([null, '', [], [''], {}, true])('GHSA-f6hc-c5jr-878p: %j is no credential', async (nothing) => {
  const answer = await supertest(app.url).post('/api/v1/session').send({ api_key: nothing });
  expect([400, 401]).toContain(answer.status);
  expect(answer.headers['set-cookie']).toBeUndefined();
});

it('CVE-2026-31950: events of a run are no events for others, wherever they say they stopped', async () => {
  const id = await echo(stranger);
  const { json } = await stranger.api('POST', `/api/v1/assistants/${id}/runs`, { messages: [user('Private')] });
  await ended(stranger, json.id);
  const read = (who: Person, more: string, headers = {}) =>
    readEvents(app, `${json.id}/events${more}`, { authorization: `Bearer ${who.key}`, ...headers });
  expect((await read(stranger, '')).status).toBe(200);
  for (const answer of [
    await read(teacher, ''),
    await read(teacher, '?after=0'),
    await read(teacher, '', { 'last-event-id': '1' }),
  ])
    expect(answer.status).toBe(404);
});

it('CVE-2026-45349: ids of foreign runs in a body reach nothing, and name no run', async () => {
  const theirs = (await ask(stranger, await echo(stranger))).headers.get('x-run-id') ?? '';
  const before = await ended(stranger, theirs);
  const mine = await echo(teacher);
  for (const member of ['run_id', 'chat_id', 'chatId', 'conversation_id', 'id']) {
    const answer = await ask(teacher, mine, { [member]: theirs });
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) expect(answer.headers.get('x-run-id')).toMatch(RUN);
    expect(answer.headers.get('x-run-id')).not.toBe(theirs);
    if (answer.status === 200) expect([answer.json.run_id, answer.json.id].join()).not.toContain(theirs);
  }
  expect(await ended(stranger, theirs)).toEqual(before);
});

it('CVE-2025-68664: keys that revive objects elsewhere are data or refused', async () => {
  const revived = { lc: 1, type: 'constructor', id: ['os', 'system'], kwargs: { command: 'id' } };
  const id = await echo(teacher, { metadata: { connector: 'bypass', note: revived } });
  expect((await teacher.api('GET', `/api/v1/assistants/${id}`)).json.metadata.note).toEqual(revived);
  expect((await ask(teacher, id)).status).toBe(200);
  const save = (body: string) => teacher.api('POST', '/api/v1/assistants', JSON.parse(body));
  const polluting = await save('{"name":"x","metadata":{"__proto__":{"admin":true}}}');
  expect([polluting.status, polluting.json.detail]).toEqual([400, 'The property name __proto__ is not allowed']);
  for (const value of ['{"prototype":{"admin":true}}', '"x"', '7']) {
    const refused = await save(`{"name":"x","metadata":{"notes":[{"constructor":${value}}]}}`);
    expect([refused.status, refused.json.errors[0].path]).toEqual([400, 'metadata.notes[0].constructor']);
  }
  expect({}).not.toHaveProperty('admin');
});

it('CVE-2026-33497: no route of files and documents leaves its folder', async () => {
  const { paths } = (await app.api('GET', '/api/openapi.json')).json as { paths: Record<string, object> };
  const routes = Object.keys(paths).filter((path) => /\/(files|knowledge-bases)\/.*\{/.test(path));
  expect(routes.length).toBeGreaterThan(8);
  for (const path of routes)
    for (const method of Object.keys(paths[path] ?? {}))
      for (const id of ['..%2f..%2f..%2fetc%2fpasswd', '%2e%2e', '..%5c..%5cwin.ini', '%252e%252e%252fetc', 'a%00b']) {
        const body = ['get', 'delete'].includes(method) ? undefined : {};
        const answer = await teacher.api(method.toUpperCase(), path.replace(/\{[^}]+\}/g, id), body);
        expect([method, path, id, [400, 404, 405, 415].includes(answer.status) || answer.status]).toEqual([
          method,
          path,
          id,
          true,
        ]);
        expect(answer.text).not.toContain('root:');
      }
});

import { DataSource } from 'typeorm';
import { asksForCredential } from '../support/access-world';
import { startApp, type TestApp } from '../support/app';
import { CLAIM, Lms, LtiBrowser } from '../support/lms';
import { foreignOrganization, type Person, person as makePerson } from '../support/people';

const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};
const PLATFORMS = '/api/v1/organizations/default/lti/platforms';

let app: TestApp;
let lms: Lms;
let assistant: number;
let other: number;

const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);

async function published(name: string): Promise<number> {
  const { json } = await app.api('POST', '/api/v1/assistants', {
    name,
    prompt_template: '{user_input}',
    metadata: CLASSIC,
  });
  await app.api('PUT', `/api/v1/assistants/${json.id}/publication`);
  return json.id;
}

beforeAll(async () => {
  app = await startApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  lms = await Lms.start();
  [assistant, other] = [await published('Cells'), await published('Other')];
  const made = await app.api('POST', PLATFORMS, lms.registration());
  expect(made.status).toBe(201);
  lms.tool = made.json;
  lms.custom = { assistant: String(assistant) };
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.stop();
});

const browser = (): LtiBrowser => new LtiBrowser(app, lms);

describe('a good launch', () => {
  it('opens the chat of the assistant with a session for it alone', async () => {
    const sam = browser();
    const { status, location } = await sam.launch();
    expect([status, location]).toEqual([303, expect.stringMatching(new RegExp(`^/chat/${assistant}\\?activity=`))]);
    expect((await sam.get('/api/v1/me')).json).toMatchObject({
      user: { name: 'Sam', email: 'sam@uni.example' },
      role: 'member',
      scopes: ['chat'],
      assistant_ids: [assistant],
    });
    expect((await sam.get(`/api/v1/assistants/${assistant}/chat`)).status).toBe(200);
    expect((await sam.get(`/api/v1/assistants/${other}/chat`)).status).toBe(404);
  });

  it('is the same person at the next launch, and widens the session by another assistant', async () => {
    const sam = browser();
    await sam.launch();
    const first = (await sam.get('/api/v1/me')).json;
    await sam.launch({
      claims: { [CLAIM('resource_link')]: { id: 'r2' }, [CLAIM('custom')]: { assistant: `${other}` } },
    });
    const second = (await sam.get('/api/v1/me')).json;
    expect(second.user.id).toBe(first.user.id);
    expect(second.assistant_ids.sort()).toEqual([assistant, other].sort());
  });

  it('keeps name and address as the platform has them', async () => {
    const sam = browser();
    const user = async (claims: object): Promise<any> => {
      await sam.launch({ claims: { sub: 'renamed', ...claims } });
      return (await sam.get('/api/v1/me')).json.user;
    };
    await user({ name: 'Old Name', email: 'old@uni.example' });
    const next = { name: 'New Name', email: 'new@uni.example' };
    expect(await user(next)).toMatchObject(next);
    expect(await user({ name: undefined, email: undefined })).toMatchObject(next);
    expect(await user({ name: 'New Name', email: 'admin@localhost' })).toMatchObject(next);
  });

  it.each(['admin', 'owner'])('leaves the address of an account that became %s here', async (role) => {
    const sam = browser();
    const [email, sub] = [`${role}-before@uni.example`, `became-${role}`];
    await sam.launch({ claims: { sub, email } });
    const member = `/api/v1/organizations/default/members/${email}`;
    expect((await app.api('PATCH', member, { role })).status).toBe(200);
    await browser().launch({ claims: { sub, email: `${role}-after@uni.example`, name: 'Followed' } });
    const [row] = await sql('SELECT email FROM users WHERE email = ANY($1)', [[email, `${role}-after@uni.example`]]);
    expect(row).toEqual({ email });
  });

  it('passes hints on as they are, and refuses one that it cannot pass on', async () => {
    const start = async (hint: string) => {
      const body = new URLSearchParams({
        iss: lms.issuer,
        login_hint: 'u1',
        target_link_uri: lms.tool.launch_url,
        client_id: lms.clientId,
        lti_message_hint: hint,
      });
      return browser().request('/lti/login', { method: 'POST', body });
    };
    const hint = ` {"cmid": 7, "x": "${'é%&'.repeat(100)}"} `;
    const { status, location } = await start(hint);
    expect([status, new URL(location ?? '').searchParams.get('lti_message_hint')]).toEqual([303, hint]);
    const longest = 'é&"<'.repeat(2_000);
    const page = await start(longest);
    const { url } = JSON.parse(/id="values">([^<]+)</.exec(page.text)?.[1] ?? '{}') as { url: string };
    expect([page.status, new URL(url).searchParams.get('lti_message_hint')]).toEqual([200, longest]);
    const long = await start('x'.repeat(8_001));
    expect([long.status, long.text]).toEqual([400, expect.stringContaining('<code>bad_request</code>')]);
  });

  it('tells in the log where the issuer differs by the slash at its end', async () => {
    const query = new URLSearchParams({ iss: `${lms.issuer}/`, login_hint: 'u1', client_id: lms.clientId });
    expect((await browser().request(`/lti/login?${query.toString()}`)).status).toBe(404);
    expect(app.log()).toContain('is registered here with another slash at the end');
  });

  it('asks the platform with a form post, a nonce and a state', async () => {
    const { query } = await browser().begin();
    expect(Object.fromEntries(query)).toMatchObject({
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      prompt: 'none',
      client_id: lms.clientId,
      redirect_uri: `${app.url}/lti/launch`,
      login_hint: 'u1',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe('a platform whose issuer and client id another organization enters, too', () => {
  const LOGIN = { login_hint: 'u1', target_link_uri: '/lti/launch' };
  let slug: string;
  let rival: Person;
  beforeAll(async () => {
    await browser().launch();
    slug = await foreignOrganization(app);
    rival = await makePerson(app, { role: 'admin', organization: slug, scopes: ['read', 'write', 'admin'] });
  });

  afterAll(() => sql('DELETE FROM lti_platforms WHERE id <> $1', [lms.tool.id]));

  const enter = (more: object = {}) => rival.api('POST', PLATFORMS.replace('default', slug), lms.registration(more));

  it('goes on to launch, with and without its client id, and learns nothing of the other', async () => {
    for (const client_id of [lms.clientId, 'another']) expect((await enter({ client_id })).status).toBe(201);
    for (const client of [{ client_id: lms.clientId }, {}] as Record<string, string>[]) {
      const query = new URLSearchParams({ iss: lms.issuer, ...LOGIN, ...client });
      const { location } = await browser().request(`/lti/login?${query.toString()}`);
      expect(new URL(location ?? 'http://none.invalid').searchParams.get('client_id')).toBe(lms.clientId);
    }
    expect((await browser().launch()).status).toBe(303);
    const again = await app.api('POST', PLATFORMS, lms.registration());
    expect([again.status, again.text]).toEqual([409, expect.not.stringContaining('another')]);
  });

  it('launches from its own address, whoever launched first, with its own issuer and client id only', async () => {
    const path = new URL(lms.tool.login_url).pathname;
    const begin = (more: Record<string, string>) =>
      browser().request(`${path}?${new URLSearchParams({ iss: lms.issuer, ...LOGIN, ...more }).toString()}`);
    await sql(`UPDATE lti_platforms SET proven_at = '2020-01-01' WHERE id <> $1`, [lms.tool.id]);
    expect((await begin({})).status).toBe(303);
    expect((await begin({ client_id: 'another' })).text).toContain('<code>unknown_platform</code>');
    expect((await begin({ iss: 'https://else.example' })).text).toContain('<code>unknown_platform</code>');
    const nowhere = await browser().request('/lti/login/not-an-id?iss=x&login_hint=u1');
    expect(nowhere.text).toContain('<code>unknown_platform</code>');
  });
});

describe('the session of a student', () => {
  const ID = '01a20082-0000-7000-8000-000000000000';

  it('opens no operation of the API beyond the chat of its assistants', async () => {
    const sam = browser();
    await sam.launch({ claims: { sub: 'walker' } });
    const { paths } = (await app.api('GET', '/api/openapi.json')).json as {
      paths: Record<string, Record<string, any>>;
    };
    const open: string[] = [];
    for (const [path, operations] of Object.entries(paths)) {
      const address = path
        .replace('{slug}', 'default')
        .replace('/assistants/{id}', `/assistants/${other}`)
        .replace(/\{[^}]+\}/g, ID);
      for (const [verb, { security }] of Object.entries(operations)) {
        if (!asksForCredential(security)) continue;
        const method = verb.toUpperCase();
        const hasBody = method !== 'GET' && method !== 'DELETE';
        const { status } = await sam.request(address, {
          method,
          headers: { origin: app.url, ...(hasBody && { 'content-type': 'application/json' }) },
          ...(hasBody && { body: '{}' }),
        });
        if (status < 400) open.push(`${method} ${path}`);
        else expect(status).toBeLessThan(500);
      }
    }
    expect(open.sort()).toEqual([
      'DELETE /api/v1/conversations',
      'GET /api/v1/conversations',
      'GET /api/v1/me',
      'GET /models',
      'GET /v1/models',
      // Tells of a receipt that somebody already holds whether it is genuine.
      'POST /api/v1/receipts/verify',
    ]);
  });

  it('finds its assistant and no other in the list of models', async () => {
    const sam = browser();
    await sam.launch();
    const { json } = await sam.get('/v1/models');
    expect(JSON.stringify(json)).not.toContain(`lamb_assistant.${other}`);
  });

  it('answers no question to another assistant', async () => {
    const sam = browser();
    await sam.launch();
    const ask = (id: number) =>
      sam.request('/api/v1/conversations', {
        method: 'POST',
        headers: { origin: app.url, 'content-type': 'application/json' },
        body: JSON.stringify({ assistant_id: id }),
      });
    expect([(await ask(assistant)).status, (await ask(other)).status]).toEqual([201, 404]);
  });

  it('begins at the top level with a code that works once, in this browser', async () => {
    const sam = browser();
    const begun = await sam.begin();
    const token = lms.token({ nonce: begun.nonce });
    const hop = await sam.send({ ...begun, token }, { 'sec-fetch-dest': 'document' });
    expect([hop.status, hop.location]).toEqual([303, expect.stringMatching(/^\/lti\/open\/[\w-]{43}$/)]);
    expect((await browser().request(hop.location ?? '')).text).toContain('<code>unknown_state</code>');
    expect((await sam.request(hop.location ?? '')).location).toMatch(/^\/chat\//);
    expect((await sam.request(hop.location ?? '')).text).toContain('<code>unknown_state</code>');
  });
});

describe('a bad launch', () => {
  const people = async (): Promise<number> => (await sql('SELECT count(*)::int AS n FROM members'))[0].n;
  const REFUSED: readonly [string, number, string, Parameters<LtiBrowser['launch']>[0]][] = [
    ['a foreign key', 400, 'signature', { forge: 'key' }],
    ['no signature', 400, 'signature', { forge: 'none' }],
    ['a signature by the public key as a shared secret', 400, 'signature', { forge: 'hs256' }],
    ['another nonce', 400, 'nonce', { claims: { nonce: 'other' } }],
    ['another audience', 400, 'audience', { claims: { aud: 'other' } }],
    ['several audiences without azp', 400, 'audience', { claims: { aud: ['tool-1', 'other'] } }],
    ['another issuer', 400, 'issuer', { claims: { iss: 'http://evil.example' } }],
    ['an expired token', 400, 'expired', { ago: 900 }],
    ['a token of the future', 400, 'clock', { ago: -300 }],
    ['an unknown deployment', 400, 'deployment', { claims: { [CLAIM('deployment_id')]: 'd9' } }],
    ['LTI 1.1', 400, 'version', { claims: { [CLAIM('version')]: '1.1.0' } }],
    ['an unknown message', 400, 'message_type', { claims: { [CLAIM('message_type')]: 'LtiOther' } }],
    ['nobody', 400, 'subject', { claims: { sub: undefined } }],
    ['no role', 403, 'role', { claims: { [CLAIM('roles')]: [] } }],
    ['a role that is none here', 403, 'role_unknown', { claims: { [CLAIM('roles')]: ['urn:nobody'] } }],
    ['one audience and a foreign azp', 400, 'audience', { claims: { azp: 'other' } }],
    ['no link', 400, 'no_resource', { claims: { [CLAIM('resource_link')]: undefined } }],
    ['a deleted assistant', 404, 'assistant_missing', { claims: { [CLAIM('custom')]: { assistant: '999999' } } }],
    ['a list that is none', 404, 'no_assistant', { claims: { [CLAIM('custom')]: { assistant: 'cells' } } }],
  ];

  it.each(REFUSED)('with %s makes no account', async (_name, status, code, launch) => {
    const before = await people();
    const answer = await browser().launch({ ...launch, claims: { sub: 'stranger', ...launch?.claims } });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`<code>${code}</code>`)]);
    expect(answer.cookies.filter((name) => name === 'bw')).toEqual([]);
    expect(await people()).toBe(before);
  });

  it('that is replayed is refused', async () => {
    const sam = browser();
    const login = await sam.begin();
    const token = lms.token({ nonce: login.nonce });
    expect((await sam.send({ ...login, token })).status).toBe(303);
    expect((await sam.send({ ...login, token })).text).toContain('<code>unknown_state</code>');
    const next = await sam.begin();
    expect((await sam.send({ ...next, token })).text).toContain('<code>nonce</code>');
  });

  it('of another browser gets a page that starts over in a new window', async () => {
    const login = await browser().begin();
    const answer = await browser().send({ ...login, token: lms.token({ nonce: login.nonce }) });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('plain http address');
    expect(answer.text).toMatch(/href="\/lti\/login\/[\w-]{36}\?iss=[^"]+&amp;client_id=tool-1&amp;login_hint=u1/);
    expect(answer.cookies).not.toContain('bw');
  });

  it('that another site finishes with the secret of its author gets that page, too', async () => {
    const parameters = new URLSearchParams({
      iss: lms.issuer,
      login_hint: 'u1',
      target_link_uri: lms.tool.launch_url,
      client_id: lms.clientId,
      lti_deployment_id: 'd1',
      lti_storage_target: '_parent',
    });
    const page = await browser().request(`/lti/login?${parameters.toString()}`);
    const values = JSON.parse(/id="values">([^<]+)</.exec(page.text)?.[1] ?? '{}') as { secret: string; url: string };
    const { searchParams } = new URL(values.url);
    const body = new URLSearchParams({
      id_token: lms.token({ nonce: searchParams.get('nonce') ?? '' }),
      state: searchParams.get('state') ?? '',
      browser: values.secret,
    });
    const post = (site: string) =>
      browser().request('/lti/launch', { method: 'POST', body, headers: { 'sec-fetch-site': site } });
    for (const site of ['cross-site', 'same-site', 'none']) expect((await post(site)).status).toBe(403);
    const own = await post('same-origin');
    expect([own.status, own.text]).toEqual([200, expect.stringContaining('href="/lti/open/')]);
  });

  it('leaves one line in the log, without the token', async () => {
    const sam = browser();
    const login = await sam.begin();
    const token = lms.token({ nonce: 'other' });
    await sam.send({ ...login, token });
    const lines = app
      .log()
      .split('\n')
      .filter((line) => line.includes('a launch was refused'));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ refusal: 'nonce', level: 40 });
    expect(app.log()).not.toContain(token.split('.')[2]);
  });

  it('speaks the language of the platform', async () => {
    const claims = { [CLAIM('launch_presentation')]: { locale: 'eu-ES' }, [CLAIM('roles')]: [] };
    const { text } = await browser().launch({ claims });
    expect(text).toContain('<html lang="eu">');
  });
});

it('the key of the platform may change', async () => {
  lms.rotate();
  expect((await browser().launch()).status).toBe(303);
});

it('publishes one signing key', async () => {
  const { json } = await app.api('GET', '/lti/jwks');
  expect(json.keys).toEqual([expect.objectContaining({ kty: 'RSA', alg: 'RS256', use: 'sig' })]);
  expect(Object.keys(json.keys[0])).not.toContain('d');
});

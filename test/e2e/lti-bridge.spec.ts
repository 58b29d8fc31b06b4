import { DataSource } from 'typeorm';
import supertest from 'supertest';
import { FRAME_PERMISSIONS } from '../../src/web-ui';
import { startApp, type TestApp } from '../support/app';
import { CLAIM, Lms, LtiBrowser } from '../support/lms';
import { Consumer, DOORS, type SignOptions } from '../support/lti11';
import { foreignOrganization, person } from '../support/people';

const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};
const SECRET = 'canary-secret-%&+ñ';
const ASSISTANT_SECRET = 'canary-lti-secret';
const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

let app: TestApp;
let lms: Lms;
let moodle: Consumer;
let tutor: number;
let other: number;

const bridge = (slug = 'default'): string => `/api/v1/organizations/${slug}/lti/bridge`;
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
const browser = (): LtiBrowser => new LtiBrowser(app, lms);
const people = async (): Promise<number> => (await sql('SELECT count(*)::int AS n FROM members'))[0].n;

async function done(answer: Promise<{ status: number; text: string; json: any }>): Promise<any> {
  const { status, text, json } = await answer;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  return json;
}

async function published(name: string): Promise<number> {
  const definition = { name, prompt_template: '{user_input}', metadata: CLASSIC };
  const { id } = await done(app.api('POST', '/api/v1/assistants', definition));
  await done(app.api('PUT', `/api/v1/assistants/${id}/publication`));
  return id;
}

beforeAll(async () => {
  app = await startApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  lms = await Lms.start();
  moodle = new Consumer(app.url, 'lamb', SECRET);
  [tutor, other] = [await published('Tutor'), await published('Other')];
  // Numbers at installations from which assistants came; two of them gave one number to several.
  await sql(
    `INSERT INTO assistant_aliases (organization_id, source, number, assistant_id)
     SELECT organization_id, source, number, assistants.id FROM assistants
       JOIN (VALUES ('one', 900001, $1::int), ('one', 900002, $1), ('two', 900002, $2)) named (source, number, id)
       ON named.id = assistants.id`,
    [tutor, other],
  );
}, 60_000);
afterAll(async () => {
  await app.stop();
  await lms.stop();
});

describe('the settings', () => {
  it('are off at first, and name the addresses', async () => {
    expect(await done(app.api('GET', bridge()))).toEqual({
      enabled: false,
      until: null,
      state: 'off',
      assistant_secret_configured: false,
      continued_by: [],
      launch_urls: {
        activity: app.url + DOORS.activity,
        assistant: app.url + DOORS.assistant,
        creator: app.url + DOORS.creator,
      },
      version: 0,
      updated_at: null,
    });
  });

  it('need an end date that is not over and not far away', async () => {
    const wrong = [
      { enabled: true },
      { enabled: true, until: day(-1) },
      { enabled: true, until: day(500) },
      { enabled: true, until: '2027-02-30' },
      { until: 'soon' },
      { continued_by: ['01a20082-0000-7000-8000-000000000000'] },
      { assistant_secret: '' },
    ];
    for (const body of wrong) {
      const { status, json } = await app.api('PATCH', bridge(), body);
      expect([body, status, json.code]).toEqual([body, 400, 'validation_failed']);
    }
  });

  it('keep secrets to themselves', async () => {
    await done(app.api('PATCH', bridge(), { enabled: true, until: day(90), assistant_secret: ASSISTANT_SECRET }));
    const keys = [
      { kind: 'activity', consumer_key: 'lamb', secret: SECRET },
      { kind: 'assistant', consumer_key: 'tutor_1', assistant_id: tutor },
      { kind: 'creator', consumer_key: 'work', secret: SECRET },
    ];
    for (const key of keys) await done(app.api('POST', `${bridge()}/keys`, key));
    const read = [await app.api('GET', bridge()), await app.api('GET', `${bridge()}/keys`)];
    expect(read.map(({ text }) => text).join()).not.toContain('canary');
    expect(read[0]?.json).toMatchObject({ state: 'on', assistant_secret_configured: true, version: 2 });
    expect(read[1]?.json).toMatchObject({
      total: 3,
      items: keys.map(({ kind, consumer_key }) => ({ kind, consumer_key, secret_configured: true })),
    });
    const stored = JSON.stringify([
      await sql('SELECT * FROM lti_bridges'),
      await sql('SELECT * FROM lti_bridge_keys'),
      await sql('SELECT * FROM audit_entries'),
    ]);
    expect(stored).toContain('lti_bridge_key.create');
    expect(stored).not.toContain('canary');
  });

  it('name what is wrong with a key', async () => {
    const wrong: readonly [object, number, string][] = [
      [{ kind: 'activity', consumer_key: 'x' }, 400, 'secret'],
      [{ kind: 'activity', consumer_key: 'x', secret: 's', assistant_id: tutor }, 400, 'assistant_id'],
      [{ kind: 'assistant', consumer_key: 'x' }, 400, 'assistant_id'],
      [{ kind: 'assistant', consumer_key: 'x', assistant_id: 999_999 }, 400, 'assistant_id'],
      [{ kind: 'assistant', consumer_key: 'x', assistant_id: tutor, secret: 's' }, 400, 'secret'],
      [{ kind: 'other', consumer_key: 'x', secret: 's' }, 400, 'kind'],
      [{ kind: 'activity', consumer_key: 'lamb', secret: 's' }, 409, 'consumer_key'],
    ];
    for (const [body, expected, path] of wrong) {
      const { status, json } = await app.api('POST', `${bridge()}/keys`, body);
      const paths = new Set(json.errors?.map((each: { path: string }) => each.path));
      expect([body, status, [...paths]]).toEqual([body, expected, [path]]);
    }
  });

  it('belong to the administrators of the organization', async () => {
    const slug = await foreignOrganization(app);
    const teacher = await person(app);
    const admin = await person(app, { role: 'admin', organization: slug, scopes: ['admin'] });
    const [key] = (await done(app.api('GET', `${bridge()}/keys`))).items;
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['GET', '/keys', undefined],
      ['PATCH', `/keys/${key.id}`, { secret: 'x' }],
      ['DELETE', `/keys/${key.id}`, undefined],
    ] as const) {
      expect((await teacher.api(method, bridge() + path, body)).status).toBe(403);
      expect((await admin.api(method, bridge() + path, body)).status).toBe(404);
      const elsewhere = await admin.api(method, bridge(slug) + path, body);
      expect([path, elsewhere.status]).toEqual([path, path.startsWith('/keys/') ? 404 : 200]);
    }
    const stale = { 'if-match': '"1"' };
    expect((await app.api('PATCH', bridge(), { enabled: false }, stale)).status).toBe(412);
  });
});

describe('a good launch of LTI 1.1', () => {
  const custom_assistant = (): string => String(tutor);

  it('opens the chat of the assistant with a session for it alone', async () => {
    const sam = browser();
    const { status, location } = await moodle.launch(sam, 'activity', { custom_assistant: custom_assistant() });
    expect([status, location]).toEqual([303, expect.stringMatching(new RegExp(`^/chat/${tutor}\\?activity=`))]);
    expect((await sam.get('/api/v1/me')).json).toMatchObject({
      user: { name: 'Sam Núñez', email: 'sam@uni.example' },
      role: 'member',
      scopes: ['chat'],
      assistant_ids: [tutor],
    });
    expect((await sam.get(`/api/v1/assistants/${other}/chat`)).status).toBe(404);
    const activity = new URL(location ?? '', app.url).searchParams.get('activity') ?? '';
    const frames = app.get<{ ancestorsOf(activity: string): Promise<readonly string[]> }>(FRAME_PERMISSIONS);
    expect(await frames.ancestorsOf(activity)).toEqual(['https://moodle.uni.example']);
  });

  it('finds the activity and the person again, without the parameter', async () => {
    const sam = browser();
    expect((await moodle.launch(sam, 'activity')).location).toContain(`/chat/${tutor}?`);
    const [first, second] = [(await sam.get('/api/v1/me')).json, browser()];
    await moodle.launch(second, 'activity', { lis_person_name_full: '', lis_person_contact_email_primary: '' });
    expect((await second.get('/api/v1/me')).json.user.id).toBe(first.user.id);
  });

  it('keeps people and links of two platforms apart that share a key', async () => {
    const guid = { tool_consumer_instance_guid: 'other.uni.example' };
    expect((await moodle.launch(browser(), 'activity', guid)).text).toContain('<code>no_assistant</code>');
    const eve = browser();
    await moodle.launch(eve, 'activity', { ...guid, custom_assistant: custom_assistant() });
    expect((await eve.get('/api/v1/me')).json.user.email).toMatch(/@lti\.invalid$/);
  });

  it('opens an assistant by the number that it had where it came from, unless several had it', async () => {
    const parameters = { resource_link_id: 'r6', custom_assistant: 'lamb_assistant.900001' };
    const sam = browser();
    expect((await moodle.launch(sam, 'activity', parameters)).location).toContain(`/chat/${tutor}?`);
    const begun = await sam.request('/api/v1/conversations', {
      method: 'POST',
      headers: { origin: app.url, 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 900_001 }),
    });
    expect([begun.status, JSON.parse(begun.text).assistant.id]).toEqual([201, tutor]);
    const several = await moodle.launch(browser(), 'activity', { ...parameters, custom_assistant: '900002' });
    expect(several.text).toContain('<code>no_assistant</code>');
  });

  it('opens the assistant whose name is the key', async () => {
    const options = { key: 'tutor_1', secret: ASSISTANT_SECRET };
    const parameters = { resource_link_id: 'r7', custom_assistant: String(other) };
    const { location } = await moodle.launch(browser(), 'assistant', parameters, options);
    expect(location).toContain(`/chat/${tutor}?`);
  });

  it('lets teachers work, and nobody else', async () => {
    const options = { key: 'work' };
    const ada = browser();
    const parameters = { roles: 'urn:lti:role:ims/lis/Instructor', user_id: '9', resource_link_id: 'r8' };
    expect((await moodle.launch(ada, 'creator', parameters, options)).location).toBe('/');
    expect((await ada.get('/api/v1/me')).json).toMatchObject({ role: 'teacher', scopes: ['chat', 'read', 'write'] });
    const organization = '/api/v1/organizations/default';
    await done(app.api('PATCH', organization, { features: { local_sign_in: false } }));
    // A platform says again who somebody is, and its session lives no longer than one of single sign-on.
    const [session] = await sql(
      `SELECT expires_at - created_at AS life FROM sessions ORDER BY created_at DESC LIMIT 1`,
    );
    expect(session.life).toMatchObject({ days: 1 });
    const refused = await moodle.launch(browser(), 'creator', parameters, options);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('<code>sign_on_only</code>')]);
    await done(app.api('PATCH', organization, { features: { local_sign_in: null } }));
    const student = await moodle.launch(browser(), 'creator', { user_id: '10' }, options);
    expect([student.status, student.text]).toEqual([403, expect.stringContaining('<code>role</code>')]);
  });

  it('signs nobody in as an administrator', async () => {
    await sql(
      `UPDATE members SET role = 'admin' WHERE user_id IN (SELECT user_id FROM lti_identities WHERE subject LIKE 'creator:work:%')`,
    );
    const ada = browser();
    const answer = await moodle.launch(ada, 'creator', { roles: 'Instructor', user_id: '9' }, { key: 'work' });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('<code>administrator</code>')]);
    expect((await ada.get('/api/v1/me')).status).toBe(401);
  });

  it('is accepted under a second host name of the service', async () => {
    const body = moodle.form('activity', {}, { address: `http://lamb.example.edu${DOORS.activity}` });
    const answer = await supertest(app.url)
      .post(DOORS.activity)
      .set('host', 'lamb.example.edu')
      .type('form')
      .send(body.toString());
    expect([answer.status, answer.headers['location']]).toEqual([303, expect.stringContaining('/lti/arrival/')]);
  });

  it('begins in this browser, and offers a new window to one without cookies', async () => {
    const sam = browser();
    const hop = await sam.request(DOORS.activity, { method: 'POST', body: moodle.form('activity') });
    const elsewhere = await browser().request(hop.location ?? '');
    expect([elsewhere.status, elsewhere.cookies]).toEqual([200, []]);
    const [, spare = ''] = /href="(\/lti\/open\/[\w-]+)"/.exec(elsewhere.text) ?? [];
    const mailed = await browser().request(spare, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(mailed.text).toContain('<code>unknown_state</code>');
    expect((await browser().request(spare, { headers: { 'sec-fetch-site': 'same-origin' } })).location).toContain(
      '/chat/',
    );
    expect((await sam.request(hop.location ?? '')).location).toBeNull();
  });

  it('ends the code for a new window once the launch was opened', async () => {
    const sam = browser();
    const hop = await sam.request(DOORS.activity, { method: 'POST', body: moodle.form('activity') });
    const spare = `/lti/open/${hop.location?.split('/').at(-1) ?? ''}`;
    expect((await sam.request(hop.location ?? '')).location).toContain('/chat/');
    const later = await browser().request(spare, { headers: { 'sec-fetch-site': 'same-origin' } });
    expect([later.location, later.cookies]).toEqual([null, []]);
    expect(later.text).toContain('<code>unknown_state</code>');
  });
});

describe('a bad launch of LTI 1.1', () => {
  const stranger = { user_id: 'stranger', resource_link_id: 'r9', custom_assistant: '1' };
  const REFUSED: readonly [string, number, string, Record<string, string>, SignOptions][] = [
    ['an unknown key', 400, 'signature', {}, { key: 'nobody' }],
    ['another secret', 400, 'signature', {}, { secret: 'other' }],
    ['an empty secret', 400, 'signature', {}, { secret: '' }],
    ['the key of another door', 400, 'signature', {}, { key: 'work' }],
    ['the secret of another key', 400, 'signature', {}, { key: 'tutor_1' }],
    ['another address', 400, 'signature', {}, { address: 'https://lamb.example.edu/lamb/v1/lti/launch' }],
    ['another path', 400, 'signature', {}, { address: 'http://127.0.0.1/lamb/v1/lti_users/lti' }],
    ['an old form', 400, 'expired', {}, { ago: 301 }],
    ['a form of the future', 400, 'clock', {}, { ago: -310 }],
    ['another message', 400, 'message_type', { lti_message_type: 'ContentItemSelectionRequest' }, {}],
    ['LTI 2', 400, 'version', { lti_version: 'LTI-2p0' }, {}],
    ['nobody', 400, 'subject', { user_id: '' }, {}],
    ['no role', 403, 'role', { roles: '' }, {}],
    ['a role that is none', 403, 'role_unknown', { roles: 'urn:lti:role:ims/lis/Ghost' }, {}],
    ['no link', 400, 'no_resource', { resource_link_id: '' }, {}],
    ['no assistant', 404, 'no_assistant', { custom_assistant: '' }, {}],
    ['an unsubstituted parameter', 404, 'no_assistant', { custom_assistant: '$Assistant.id' }, {}],
    ['a deleted assistant', 404, 'assistant_missing', { custom_assistant: '999999' }, {}],
  ];

  it.each(REFUSED)(
    'with %s makes no account and one line in the log',
    async (_name, status, code, changes, options) => {
      const before = await people();
      const lines = app.log().split('\n').length;
      const answer = await moodle.launch(browser(), 'activity', { ...stranger, ...changes }, options);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`<code>${code}</code>`)]);
      expect(answer.cookies).toEqual([]);
      expect(await people()).toBe(before);
      const added = app
        .log()
        .split('\n')
        .slice(lines - 1)
        .filter((line) => line.includes('a launch was refused'));
      expect(added).toEqual([expect.stringContaining(`"refusal":"${code}"`)]);
      expect(app.log()).not.toContain('canary');
    },
  );

  const post = (body: URLSearchParams | string, type = 'application/x-www-form-urlencoded') =>
    browser().request(DOORS.activity, { method: 'POST', body: body.toString(), headers: { 'content-type': type } });

  it('that is replayed is refused, also with other content', async () => {
    const parameters = { custom_assistant: String(tutor) };
    const form = moodle.form('activity', parameters, { nonce: 'once' });
    expect((await post(form)).status).toBe(303);
    const other = moodle.form('activity', { ...parameters, user_id: '77' }, { nonce: 'once' });
    for (const body of [form, other]) expect((await post(body)).text).toContain('<code>nonce</code>');
  });

  it('that was changed on the way is refused', async () => {
    const form = moodle.form('activity', { custom_assistant: String(tutor) });
    for (const [name, value] of [...form]) {
      if (name.startsWith('oauth_')) continue;
      const changed = new URLSearchParams(form);
      changed.set(name, `${value}x`);
      expect([name, (await post(changed)).text]).toEqual([name, expect.stringContaining('<code>signature</code>')]);
    }
    const more = new URLSearchParams(form);
    more.append('ext_more', '1');
    expect((await post(more)).text).toContain('<code>signature</code>');
  });

  it('with hostile forms gets an answer, and no account', async () => {
    const before = await people();
    const form = moodle.form('activity', { custom_assistant: String(tutor) }).toString();
    const twice = await post(`${form}&user_id=1`);
    expect([twice.status, twice.text]).toEqual([400, expect.stringContaining('<code>bad_request</code>')]);
    const bodies = [
      '',
      '=&=&&&',
      'oauth_consumer_key=lamb',
      'user_id[a]=1&__proto__[x]=1&constructor=1&toString=2',
      '%ZZ=%FF&\0=\0',
      'a'.repeat(120_000),
      form.replace('HMAC-SHA1', 'PLAINTEXT'),
      form.replace(/oauth_timestamp=\d+/, 'oauth_timestamp=-1'),
      form.replace(/oauth_timestamp=\d+/, 'oauth_timestamp=1e99'),
    ];
    for (const body of bodies) expect([body.slice(0, 40), (await post(body)).status]).toEqual([body.slice(0, 40), 400]);
    expect((await post('a'.repeat(200_000))).status).toBe(413);
    expect((await post('a=1&'.repeat(500))).status).toBe(413);
    expect((await post('{}', 'application/json')).status).toBe(415);
    expect((await browser().request(DOORS.activity)).status).toBe(405);
    expect(await people()).toBe(before);
  });

  it('is refused while the bridge is off', async () => {
    await done(app.api('PATCH', bridge(), { enabled: false }));
    const off = await moodle.launch(browser(), 'activity', { launch_presentation_locale: 'es' });
    expect([off.status, off.text]).toEqual([403, expect.stringContaining('<code>lti11_off</code>')]);
    expect(off.text).toContain('Avisa a tu docente');
    const teacher = await moodle.launch(browser(), 'activity', { roles: 'Instructor' });
    expect(teacher.text).toContain('Ask an administrator of your organization');
    await done(app.api('PATCH', bridge(), { enabled: true }));
  });

  it('is refused after the last day, with the next step for the reader', async () => {
    await sql(`UPDATE lti_bridges SET until = $1`, [day(-1)]);
    const student = await moodle.launch(browser(), 'activity');
    expect([student.status, student.text]).toEqual([410, expect.stringContaining('<code>lti11_ended</code>')]);
    expect(student.text).toContain('Tell your teacher');
    const teacher = await moodle.launch(browser(), 'activity', { roles: 'Instructor' });
    expect(teacher.text).toContain('with LTI 1.3 under Administration › Learning platforms');
    expect((await app.api('GET', bridge())).json).toMatchObject({ state: 'ended' });
    await sql(`UPDATE lti_bridges SET until = $1`, [day(9)]);
  });
});

describe('a key of two organizations', () => {
  it('leads to the one that has the activity or the assistant', async () => {
    const slug = await foreignOrganization(app);
    const owner = await person(app, { role: 'owner', organization: slug, scopes: ['chat', 'read', 'write', 'admin'] });
    await done(owner.api('POST', `${bridge(slug)}/keys`, { kind: 'activity', consumer_key: 'lamb', secret: SECRET }));
    await done(owner.api('PATCH', bridge(slug), { enabled: true, until: day(9) }));
    const definition = { name: 'Theirs', prompt_template: '{user_input}', metadata: CLASSIC };
    const { id } = await done(owner.api('POST', '/api/v1/assistants', definition));
    await done(owner.api('PUT', `/api/v1/assistants/${id}/publication`));
    const there = await moodle.launch(browser(), 'activity', { resource_link_id: 'r20', custom_assistant: String(id) });
    expect(there.location).toContain(`/chat/${id}?`);
    expect((await moodle.launch(browser(), 'activity', { resource_link_id: 'r20' })).location).toContain(
      `/chat/${id}?`,
    );
    expect((await moodle.launch(browser(), 'activity')).location).toContain(`/chat/${tutor}?`);
    const nowhere = await moodle.launch(browser(), 'activity', { resource_link_id: 'r21' });
    expect(nowhere.text).toContain('<code>no_assistant</code>');
  });

  it('with a secret of its own opens nothing of the other', async () => {
    const slug = await foreignOrganization(app);
    const owner = await person(app, { role: 'owner', organization: slug, scopes: ['chat', 'read', 'write', 'admin'] });
    await done(owner.api('POST', `${bridge(slug)}/keys`, { kind: 'activity', consumer_key: 'lamb', secret: 'theirs' }));
    await done(owner.api('PATCH', bridge(slug), { enabled: true, until: day(9) }));
    const forged = { secret: 'theirs' };
    const answer = await moodle.launch(browser(), 'activity', { custom_assistant: String(tutor) }, forged);
    expect(answer.text).toContain('<code>assistant_missing</code>');
  });
});

describe('after the switch to LTI 1.3', () => {
  const lti13 = (person: LtiBrowser, claims: object) =>
    person.launch({ claims: { [CLAIM('resource_link')]: { id: 'r1', title: 'Ask' }, sub: '5', ...claims } });

  beforeAll(async () => {
    lms.tool = await done(app.api('POST', '/api/v1/organizations/default/lti/platforms', lms.registration()));
  });

  it('a link that leads to LAMB’s path goes on with its activity', async () => {
    const before = await moodle.launch(browser(), 'activity');
    const elsewhere = { [CLAIM('context')]: { id: 'c2', title: 'Chemistry' } };
    const lamb = {
      [CLAIM('target_link_uri')]: app.url + DOORS.activity,
      [CLAIM('tool_platform')]: { guid: 'moodle.uni.example' },
    };
    expect((await lti13(browser(), { sub: 'a', ...elsewhere, ...lamb })).text).toContain('<code>no_assistant</code>');
    expect((await lti13(browser(), { sub: 'a' })).text).toContain('<code>no_assistant</code>');
    const after = await lti13(browser(), { sub: 'a', ...lamb });
    expect(after.location).toBe(before.location);
    // Once it has moved, it stays with the platform.
    expect((await lti13(browser(), { sub: 'a' })).location).toBe(before.location);
  });

  it('a person is the same by the signed claim, and another one by a forged claim', async () => {
    await moodle.launch(browser(), 'activity', { custom_assistant: String(tutor), resource_link_id: 'r30' });
    const sam = browser();
    await moodle.launch(sam, 'activity', { resource_link_id: 'r30' });
    const before = (await sam.get('/api/v1/me')).json.user.id;
    for (const [secret, isSame] of [
      ['wrong', false],
      [SECRET, true],
    ] as const) {
      const next = browser();
      const claims = { sub: `new-${secret}`, [CLAIM('resource_link')]: { id: 'r31', title: '' } };
      const old = { user_id: '5', resource_link_id: 'r30', tool_consumer_instance_guid: 'moodle.uni.example' };
      const answer = await next.launchAs({ key: 'lamb', secret }, claims, old);
      expect([secret, answer.location?.includes(`/chat/${tutor}?`) ?? false]).toEqual([secret, isSame]);
      if (isSame) expect((await next.get('/api/v1/me')).json.user.id).toBe(before);
    }
  });

  it('a legacy assistant is found by the signed key', async () => {
    const claims = { sub: 'legacy', [CLAIM('resource_link')]: { id: 'r40', title: '' } };
    const signed = await browser().launchAs({ key: 'tutor_1', secret: ASSISTANT_SECRET }, claims);
    expect(signed.location).toContain(`/chat/${tutor}?`);
    const forged = await browser().launchAs(
      { key: 'tutor_1', secret: SECRET },
      { ...claims, [CLAIM('resource_link')]: { id: 'r41' } },
    );
    expect(forged.text).toContain('<code>no_assistant</code>');
  });

  it('a platform without the claim keeps its people where an administrator says so', async () => {
    const sam = browser();
    await moodle.launch(sam, 'activity', { user_id: '50', custom_assistant: String(tutor), resource_link_id: 'r50' });
    const before = (await sam.get('/api/v1/me')).json.user.id;
    const claims = { [CLAIM('resource_link')]: { id: 'r50', title: '' }, [CLAIM('custom')]: { assistant: `${tutor}` } };
    const stranger = browser();
    await lti13(stranger, { ...claims, sub: '50', email: 'x@uni.example' });
    expect((await stranger.get('/api/v1/me')).json.user.id).not.toBe(before);
    await sql(`DELETE FROM lti_identities WHERE subject = '50'`);
    const [platform] = (await done(app.api('GET', '/api/v1/organizations/default/lti/platforms'))).items;
    await done(app.api('PATCH', bridge(), { continued_by: [platform.id] }));
    const again = browser();
    await lti13(again, { ...claims, sub: '50' });
    expect((await again.get('/api/v1/me')).json.user.id).toBe(before);
  });
});

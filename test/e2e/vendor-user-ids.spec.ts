import { startApp, type TestApp } from '../support/app';
import { user } from '../support/chat';
import { person, type Person } from '../support/people';
import { startUpstream, type Upstream } from '../support/upstream';

let app: TestApp;
let upstream: Upstream;
let owner: Person;
let student: Person;
let assistant: number;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.always({ content: 'Yes.' });
  app = await startApp({ env: { OPENAI_BASE_URL: upstream.url, OPENAI_API_KEY: 'sk-test' } });
  owner = await person(app, { role: 'owner', scopes: ['chat', 'read', 'write', 'admin'] });
  student = await person(app, { role: 'member' });
  const body = { name: 'A', metadata: { connector: 'openai', llm: 'gpt-4o-mini' } };
  assistant = (await owner.api('POST', '/api/v1/assistants', body)).json.id;
  await share(student);
});
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

async function share(who: Person): Promise<void> {
  const shares = [{ user_id: who.userId, access: 'use' }];
  expect((await owner.api('PUT', `/api/v1/assistants/${assistant}/shares`, { shares })).status).toBe(200);
}

async function choose(vendor_user_ids: string): Promise<void> {
  const path = '/api/v1/organizations/default';
  const { status } = await owner.api('PATCH', path, { privacy: { vendor_user_ids } }, { 'if-match': '*' });
  expect(status).toBe(200);
}

const NAMED = { user: 'ada@example.edu', metadata: { email: 'ada@example.edu', course: 'physics' } };

/** The members of the vendor's request that could name a person. */
async function sent(body: object, by: Person = student): Promise<object> {
  const path = `/api/v1/assistants/${assistant}/completions`;
  const { status, text } = await by.api('POST', path, { messages: [user('Hello?')], ...body });
  if (status !== 200) throw new Error(text);
  const { user: name, safety_identifier, metadata } = upstream.requests.at(-1)?.body ?? {};
  return JSON.parse(JSON.stringify({ user: name, safety_identifier, metadata })) as object;
}

it('passes on what the client sends until the organization decides otherwise', async () => {
  expect(await sent(NAMED)).toEqual(NAMED);
  expect(await sent({})).toEqual({});
});

it('sends no identifier of a person where the organization wants none', async () => {
  await choose('none');
  expect(await sent(NAMED)).toEqual({ metadata: { course: 'physics' } });
  expect(await sent({ stream: true, ...NAMED, metadata: { user_id: '7' } })).toEqual({});
});

it('sends a pseudonym that only owners can follow back', async () => {
  await choose('pseudonymous');
  const first = (await sent({ ...NAMED, safety_identifier: 'ada' })) as { user: string };
  expect(first).toEqual({ user: expect.stringMatching(/^[0-9a-f]{32}$/), metadata: { course: 'physics' } });
  expect(await sent({ stream: true })).toEqual({ user: first.user });
  expect(await sent({}, owner)).not.toEqual({ user: first.user });

  const path = '/api/v1/organizations/default/pseudonyms/look-up';
  const found = await owner.api('POST', path, { pseudonym: first.user });
  expect([found.status, found.json]).toEqual([200, expect.objectContaining({ email: student.email })]);
  const admin = await person(app, { role: 'admin', scopes: ['read', 'admin'] });
  expect((await admin.api('POST', path, { pseudonym: first.user })).status).toBe(403);
  expect((await owner.api('POST', path, { pseudonym: '0'.repeat(32) })).status).toBe(404);
  expect((await owner.api('POST', path, { pseudonym: 'ada' })).status).toBe(400);
  const { items } = (await owner.api('GET', '/api/v1/organizations/default/audit')).json;
  const looked = items.filter(({ action }: any) => action === 'pseudonym.look_up');
  expect(looked.map(({ after }: any) => after.user_id)).toEqual([null, student.userId]);
});

it('names the end user of a gateway by a pseudonym, and nobody when the gateway does not say', async () => {
  await choose('pseudonymous');
  const gateway = await person(app, { role: 'owner', scopes: ['chat', 'read', 'act_as'] });
  await share(gateway);
  const [ada, bob, unknown] = [
    await sent({ metadata: { email: 'ada@example.edu' } }, gateway),
    await sent({ metadata: { email: 'bob@example.edu' } }, gateway),
    await sent({}, gateway),
  ];
  expect(ada).toEqual({ user: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(bob).not.toEqual(ada);
  expect(unknown).toEqual({});
});

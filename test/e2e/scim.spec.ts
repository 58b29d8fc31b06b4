import supertest from 'supertest';
import { startApp, type ApiAnswer, type TestApp } from '../support/app';
import { foreignOrganization, keyOf, person, type Person } from '../support/people';

const ORGANIZATION = '/api/v1/organizations/default';
const TOKENS = `${ORGANIZATION}/scim/tokens`;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let app: TestApp;
let serial = 0;
type Client = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;
let scim: Client;
let linking: Client;

async function client(options: object = {}, path = TOKENS, by: Pick<Person, 'api'> = app): Promise<Client> {
  const { status, json } = await by.api('POST', path, { name: `Directory ${++serial}`, ...options });
  expect(status).toBe(201);
  return (method, rest, body) =>
    app.api(method, `/scim/v2${rest}`, body, {
      authorization: `Bearer ${json.token as string}`,
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
    });
}

beforeAll(async () => {
  app = await startApp();
  scim = await client();
  linking = await client({ link_existing: true });
});
afterAll(() => app.stop());

const newAddress = (): string => `scim-${++serial}@uni.example`;
const userBody = (changes: object = {}): Record<string, unknown> => {
  const userName = newAddress();
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    externalId: `x-${serial}`,
    name: { givenName: 'Emmy', familyName: 'Noether' },
    emails: [{ value: userName, type: 'work', primary: true }],
    active: true,
    ...changes,
  };
};
async function user(changes: object = {}, by = scim): Promise<any> {
  const answer = await by('POST', '/Users', userBody(changes));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}
async function group(members: readonly string[] = [], changes: object = {}): Promise<any> {
  const body = { displayName: `Group ${++serial}`, members: members.map((value) => ({ value })), ...changes };
  const answer = await scim('POST', '/Groups', body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}
const patch = (path: string, ...Operations: object[]): Promise<ApiAnswer> =>
  scim('PATCH', path, { schemas: [PATCH], Operations });
const found = async (filter: string, by = scim, type = 'Users'): Promise<string[]> =>
  (await by('GET', `/${type}?filter=${encodeURIComponent(filter)}`)).json.Resources.map(({ id }: { id: string }) => id);
const memberOf = async (email: string): Promise<any> => {
  const { json } = await app.api('GET', `${ORGANIZATION}/members?limit=100`);
  return json.items.find((member: { email: string }) => member.email === email);
};
const valuesOf = ({ members }: any): string[] => members.map(({ value }: { value: string }) => value).sort();

describe('a SCIM token', () => {
  it('is shown once, listed without its text, and opens nothing after it was revoked', async () => {
    const made = await app.api('POST', TOKENS, { name: 'Entra' });
    expect(made.json.token).toMatch(/^bw_scim_[\w-]{43}$/);
    const list = await app.api('GET', TOKENS);
    expect(list.json.base_url).toBe(`${app.url}/scim/v2`);
    expect(list.text).not.toContain(made.json.token);
    const headers = { authorization: `Bearer ${made.json.token}` };
    expect((await app.api('GET', '/scim/v2/Users', undefined, headers)).status).toBe(200);
    const used = (await app.api('GET', TOKENS)).json.tokens.find(({ id }: { id: string }) => id === made.json.id);
    expect(used.last_used_at).not.toBeNull();
    expect((await app.api('DELETE', `${TOKENS}/${made.json.id}`)).status).toBe(204);
    expect((await app.api('DELETE', `${TOKENS}/${made.json.id}`)).status).toBe(404);
    expect((await app.api('GET', '/scim/v2/Users', undefined, headers)).status).toBe(401);
    expect(app.log()).not.toContain(made.json.token);
  });

  it('is made by owners only', async () => {
    const scopes = ['read', 'write', 'admin'];
    const admin = await person(app, { role: 'admin', scopes });
    const teacher = await person(app);
    for (const who of [admin, teacher]) {
      expect((await who.api('POST', TOKENS, { name: 'Mine' })).status).toBe(403);
      expect((await who.api('GET', TOKENS)).status).toBe(403);
    }
    const slug = await foreignOrganization(app);
    const owner = await person(app, { role: 'owner', organization: slug, scopes });
    expect((await owner.api('POST', TOKENS, { name: 'Foreign' })).status).toBe(404);
  });

  it.each([[{}], [{ name: '' }], [{ name: 1 }], [{ name: 'x', link_existing: 'yes' }], [{ name: 'x', token: 'mine' }]])(
    'is not made from %j',
    async (body) => expect((await app.api('POST', TOKENS, body)).status).toBe(400),
  );

  it('sees its organization only', async () => {
    const slug = await foreignOrganization(app);
    const theirs = await client({}, `/api/v1/organizations/${slug}/scim/tokens`);
    const ours = await user();
    const course = await group([ours.id]);
    expect((await theirs('GET', `/Users/${ours.id}`)).status).toBe(404);
    expect((await theirs('DELETE', `/Users/${ours.id}`)).status).toBe(404);
    expect((await theirs('GET', `/Groups/${course.id}`)).status).toBe(404);
    expect((await theirs('GET', '/Users')).json.totalResults).toBe(0);
    const answer = await theirs('POST', '/Groups', { displayName: 'Stolen', members: [{ value: ours.id }] });
    expect([answer.status, answer.json.scimType]).toEqual([400, 'invalidValue']);
  });
});

describe('the description of the service', () => {
  it.each(['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'ResourceTypes/User'])('is at %s', async (path) => {
    const answer = await scim('GET', `/${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/scim+json'),
    ]);
  });

  it('answers errors in the shape of SCIM, also without a credential and for what is not there', async () => {
    const missing = await scim('GET', '/Nothing');
    const anonymous = await app.api('GET', '/scim/v2/Users', undefined, { authorization: 'Bearer nonsense' });
    const broken = await supertest(app.url).post('/scim/v2/Users').set('authorization', 'Bearer x').send('{');
    expect([missing.status, anonymous.status, broken.status]).toEqual([404, 401, 401]);
    for (const { json } of [missing, anonymous]) {
      expect(json.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    }
    expect([missing.json.status, anonymous.json.status]).toEqual(['404', '401']);
    expect(missing.headers.get('content-type')).toContain('application/scim+json');
  });
});

describe('a user', () => {
  it('is created as a member, read, replaced and deleted', async () => {
    const body = userBody();
    const made = await scim('POST', '/Users', body);
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${app.url}/scim/v2/Users/${made.json.id as string}`);
    expect(made.json).toMatchObject({ ...body, meta: { resourceType: 'User' } });
    expect(await memberOf(String(body['userName']))).toMatchObject({ name: 'Emmy Noether', role: 'member' });
    const path = `/Users/${made.json.id}`;
    expect((await scim('GET', path)).json).toEqual(made.json);
    const replaced = await scim('PUT', path, { ...body, displayName: 'E. Noether', externalId: undefined });
    expect([replaced.status, replaced.json.displayName, replaced.json.externalId]).toEqual([
      200,
      'E. Noether',
      undefined,
    ]);
    expect((await memberOf(String(body['userName']))).name).toBe('E. Noether');
    expect((await scim('DELETE', path)).status).toBe(204);
    expect((await scim('GET', path)).status).toBe(404);
    expect((await scim('DELETE', path)).status).toBe(404);
    expect((await memberOf(String(body['userName']))).disabled).toBe(true);
  });

  it('with the same externalId is the same person: the account comes back, its former keys do not', async () => {
    const body = userBody();
    const { id, userName } = await user(body);
    const key = await keyOf(app, userName, { scopes: ['read'] });
    expect((await key.api('GET', '/api/v1/assistants')).status).toBe(200);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    const renamed = newAddress();
    const emails = [{ value: renamed, type: 'work', primary: true }];
    const again = await scim('POST', '/Users', { ...body, userName: renamed, emails });
    expect([again.status, again.json.id, again.json.active]).toEqual([201, id, true]);
    expect(await memberOf(renamed)).toMatchObject({ user_id: id, disabled: false });
    expect((await key.api('GET', '/api/v1/assistants')).status).toBe(401);
    expect(await found(`externalId eq "${String(body['externalId'])}"`)).toEqual([id]);
    const inUse = await scim('POST', '/Users', userBody({ externalId: body['externalId'] }));
    expect([inUse.status, inUse.json.scimType]).toEqual([409, 'uniqueness']);
  });

  it.each<[string, object]>([
    ['another externalId', { externalId: 'another' }],
    ['no externalId', { externalId: undefined }],
  ])('with the name and address of a deleted user and %s is another person', async (_, changes) => {
    const body = userBody({ displayName: 'Lena' });
    const { id, userName } = await user(body);
    const key = await keyOf(app, userName, { scopes: ['read', 'write'] });
    await key.api('POST', '/api/v1/assistants', { name: `Lena's ${++serial}`, metadata: { connector: 'bypass' } });
    const asked = await supertest(app.url).post('/api/v1/session').send({ api_key: key.key });
    expect(asked.status).toBe(200);
    await scim('DELETE', `/Users/${id}`);
    const other = await scim('POST', '/Users', { ...body, displayName: 'Luis', ...changes });
    expect(other.status).toBe(201);
    expect(other.json.id).not.toBe(id);
    expect((await memberOf(userName)).user_id).toBe(other.json.id);
    expect((await key.api('GET', '/api/v1/me')).status).toBe(401);
    const theirs = await keyOf(app, userName, { scopes: ['read'] });
    expect((await theirs.api('GET', '/api/v1/assistants?owner=me')).json.total).toBe(0);
    const { items } = (await app.api('GET', `${ORGANIZATION}/members?limit=100`)).json;
    const former = items.find(({ user_id }: { user_id: string }) => user_id === id);
    expect(former).toMatchObject({ name: 'Lena', disabled: true, email: expect.stringMatching(/@scim\.invalid$/) });
    // The person who left comes back to the account that was theirs.
    const back = newAddress();
    const returned = await scim('POST', '/Users', { ...body, userName: back, emails: [{ value: back }] });
    expect([returned.status, returned.json.id]).toEqual([201, id]);
  });

  it('that is inactive under another name comes back under the new one (Okta renames so)', async () => {
    const body = userBody();
    const { id } = await user(body);
    await patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect((await scim('POST', '/Users', body)).status).toBe(409);
    const userName = newAddress();
    const again = await scim('POST', '/Users', { ...body, userName, emails: [{ value: userName, primary: true }] });
    expect([again.status, again.json.id, again.json.userName]).toEqual([201, id, userName]);
    expect(await memberOf(userName)).toMatchObject({ user_id: id, disabled: false });
  });

  it('is never given to somebody else by a change of its externalId', async () => {
    const [one, other] = [await user(), await user()];
    const taken = await patch(`/Users/${one.id}`, { op: 'replace', path: 'externalId', value: other.externalId });
    expect([taken.status, taken.json.scimType]).toEqual([409, 'uniqueness']);
    const remapped = await patch(`/Users/${one.id}`, { op: 'replace', path: 'externalId', value: `oid-${++serial}` });
    expect(remapped.status).toBe(200);
    await patch(`/Users/${one.id}`, { op: 'replace', path: 'active', value: false });
    const refused = await scim('PUT', `/Users/${one.id}`, { ...one, active: true, externalId: `oid-${++serial}` });
    expect([refused.status, refused.json.scimType]).toEqual([400, 'mutability']);
    expect((await scim('GET', `/Users/${one.id}`)).json.active).toBe(false);
  });

  it('is not the disabled or removed member who had the address before, also for a token that links', async () => {
    const [disabled, removed] = [await person(app), await person(app)];
    await app.api('PATCH', `${ORGANIZATION}/members/${disabled.userId}`, { disabled: true });
    await app.api('DELETE', `${ORGANIZATION}/members/${removed.userId}`);
    for (const { email } of [disabled, removed]) {
      const answer = await linking('POST', '/Users', userBody({ userName: email, emails: [] }));
      expect([answer.status, answer.json.scimType]).toEqual([409, 'uniqueness']);
    }
    expect((await disabled.api('GET', '/api/v1/me')).status).toBe(401);
  });

  it('is created once, however often and by however many at once', async () => {
    const body = userBody();
    const answers = await Promise.all([1, 2, 3].map(() => scim('POST', '/Users', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const later = await scim('POST', '/Users', { ...body, userName: String(body['userName']).toUpperCase() });
    expect([later.status, later.json.scimType, later.json.status]).toEqual([409, 'uniqueness', '409']);
  });

  it('who is a member already is linked only by a token that may', async () => {
    const teacher = await person(app);
    const body = userBody({ userName: teacher.email, emails: [] });
    const refused = await scim('POST', '/Users', body);
    expect([refused.status, refused.json.scimType]).toEqual([409, 'uniqueness']);
    expect(await found(`userName eq "${teacher.email}"`)).toEqual([]);
    const linked = await linking('POST', '/Users', body);
    expect([linked.status, linked.json.id]).toEqual([201, teacher.userId]);
    expect((await memberOf(teacher.email)).role).toBe('teacher');
    const elsewhere = await person(app, { organization: await foreignOrganization(app) });
    const other = userBody({ userName: elsewhere.email, emails: [] });
    expect((await scim('POST', '/Users', other)).status).toBe(409);
    expect((await linking('POST', '/Users', other)).json.id).toBe(elsewhere.userId);
    const system = await linking('POST', '/Users', userBody({ userName: 'admin@localhost', emails: [] }));
    expect(system.status).toBe(409);
  });

  it('loses sessions and keys at once when it is deactivated, and gets no old session back', async () => {
    const teacher = await person(app);
    const { id } = (await linking('POST', '/Users', userBody({ userName: teacher.email, emails: [] }))).json;
    expect((await teacher.api('GET', '/api/v1/assistants')).status).toBe(200);
    const signIn = await supertest(app.url).post('/api/v1/session').send({ api_key: teacher.key });
    const cookie = String(signIn.headers['set-cookie']).split(';')[0] ?? '';
    const asBrowser = () => supertest(app.url).get('/api/v1/me').set('cookie', cookie);
    expect((await asBrowser()).status).toBe(200);
    const off = await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect([off.status, off.json.active]).toEqual([200, false]);
    expect((await teacher.api('GET', '/api/v1/assistants')).status).toBe(401);
    expect((await asBrowser()).status).toBe(401);
    const on = await patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect(on.json.active).toBe(true);
    expect((await teacher.api('GET', '/api/v1/assistants')).status).toBe(200);
    expect((await asBrowser()).status).toBe(401);
  });

  it('who is the last owner stays active', async () => {
    const slug = await foreignOrganization(app);
    const owner = await person(app, { organization: slug, role: 'owner', scopes: ['read', 'write', 'admin'] });
    const theirs = await client({ link_existing: true }, `/api/v1/organizations/${slug}/scim/tokens`, owner);
    const { id } = (await theirs('POST', '/Users', userBody({ userName: owner.email, emails: [] }))).json;
    const Operations = [{ op: 'replace', path: 'active', value: false }];
    const refusals = [
      await theirs('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations }),
      await theirs('DELETE', `/Users/${id}`),
    ];
    expect(refusals.map(({ status, json }) => [status, json.scimType])).toEqual([
      [400, 'mutability'],
      [400, 'mutability'],
    ]);
    expect((await owner.api('GET', `/api/v1/organizations/${slug}`)).status).toBe(200);
  });

  it('changes the address of the account, unless it is taken or the person is a member elsewhere', async () => {
    const one = await user();
    const address = newAddress();
    const moved = await patch(`/Users/${one.id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: address,
    });
    expect(moved.json.emails).toEqual([{ value: address, type: 'work', primary: true }]);
    expect((await memberOf(address)).user_id).toBe(one.id);
    const other = await user();
    const taken = await patch(`/Users/${one.id}`, {
      op: 'replace',
      path: 'emails[primary eq true].value',
      value: other.userName,
    });
    expect([taken.status, taken.json.scimType]).toEqual([409, 'uniqueness']);
    const elsewhere = await person(app, { organization: await foreignOrganization(app) });
    const both = (await linking('POST', '/Users', userBody({ userName: elsewhere.email, emails: [] }))).json;
    const emails = { op: 'add', path: 'emails', value: [{ value: newAddress() }] };
    const kept = await patch(`/Users/${both.id}`, emails);
    expect([kept.status, kept.json.scimType]).toEqual([409, 'uniqueness']);
    // The same words for an address that a person of another organization has.
    const theirs = await person(app, { organization: await foreignOrganization(app) });
    const held = await patch(`/Users/${one.id}`, {
      op: 'replace',
      path: 'emails[primary eq true].value',
      value: theirs.email,
    });
    expect([held.status, held.json.detail]).toEqual([409, kept.json.detail]);
    expect((await memberOf(elsewhere.email)).user_id).toBe(both.id);
    const off = await patch(`/Users/${both.id}`, emails, { op: 'replace', path: 'active', value: false });
    expect([off.status, off.json.active]).toEqual([200, false]);
  });

  it.each<[string, object[], object]>([
    ['a name with dots', [{ op: 'Add', value: { 'name.givenName': 'Emmy', displayName: 'E' } }], { displayName: 'E' }],
    ['a path in capitals', [{ op: 'REPLACE', path: 'DisplayName', value: 'Up' }], { displayName: 'Up' }],
    [
      'a path with the schema',
      [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:displayName', value: 'Urn' }],
      { displayName: 'Urn' },
    ],
    [
      'attributes that are not stored',
      [
        { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'Maths' },
        { op: 'add', path: 'title', value: 'Prof.' },
        { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
        { op: 'add', value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: 'x' } } },
      ],
      { active: true },
    ],
    [
      'an address of a new type',
      [{ op: 'Add', path: 'emails[type eq "home"].value', value: 'home@uni.example' }],
      { emails: expect.arrayContaining([{ value: 'home@uni.example', type: 'home' }]) },
    ],
    [
      'a removal',
      [
        { op: 'Remove', path: 'externalId' },
        { op: 'add', path: 'displayName', value: 'A' },
      ],
      { displayName: 'A' },
    ],
    ['a name that every object has', [{ op: 'add', path: 'constructor', value: 'x' }], { active: true }],
  ])('is patched by %s', async (_, operations, expected) => {
    const one = await user({ displayName: 'Before' });
    const answer = await patch(`/Users/${one.id}`, ...operations);
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ id: one.id })]);
    expect(answer.json).toMatchObject(expected);
  });

  it.each<[unknown, string]>([
    [null, 'invalidSyntax'],
    [[], 'invalidSyntax'],
    [{}, 'invalidSyntax'],
    [{ Operations: [] }, 'invalidSyntax'],
    [{ Operations: 'x' }, 'invalidSyntax'],
    [{ Operations: [{ op: 'move', path: 'active' }] }, 'invalidSyntax'],
    [{ Operations: [{ op: 'replace', path: 'emails[', value: 1 }] }, 'invalidPath'],
    [{ Operations: [{ op: 'replace', path: 'emails[type xx "y"].value', value: 1 }] }, 'invalidFilter'],
    [{ Operations: [{ op: 'replace', path: 'a b c', value: 1 }] }, 'invalidPath'],
    [{ Operations: [{ op: 'add', path: '__proto__.polluted', value: 1 }] }, 'invalidPath'],
    [{ Operations: [{ op: 'remove' }] }, 'noTarget'],
    [{ Operations: [{ op: 'replace', value: 'x' }] }, 'invalidValue'],
    [{ Operations: [{ op: 'replace', path: 'active', value: 'maybe' }] }, 'invalidValue'],
    [{ Operations: [{ op: 'replace', path: 'userName', value: '' }] }, 'invalidValue'],
    [{ Operations: [{ op: 'remove', path: 'userName' }] }, 'invalidValue'],
    [{ Operations: [{ op: 'replace', path: 'emails', value: [{ value: 'no address' }] }] }, 'invalidValue'],
    [{ Operations: [{ op: 'replace', path: 'name', value: 'Emmy' }] }, 'invalidValue'],
  ])('is not patched by %j', async (body, scimType) => {
    const one = await user();
    const answer = await scim('PATCH', `/Users/${one.id}`, body);
    expect([answer.status, answer.json.scimType]).toEqual([400, scimType]);
    expect((await scim('GET', `/Users/${one.id}`)).json.active).toBe(true);
  });

  it.each<[unknown]>([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ userName: 1 }],
    [{ userName: ' ' }],
    [{ userName: 'x'.repeat(256) }],
    [{ userName: 'a', emails: 'a@b.example' }],
    [{ userName: 'a', emails: [{ value: 'a' }] }],
    [{ userName: 'a', active: 'maybe' }],
    [{ userName: 'a', name: 'A' }],
    [{ userName: 'a', externalId: {} }],
  ])('is not created from %j', async (body) => {
    const answer = await scim('POST', '/Users', body);
    expect([answer.status, answer.json.schemas]).toEqual([400, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
  });

  it('without an address gets one that never resolves', async () => {
    const body = userBody({ userName: `local-${++serial}`, emails: undefined });
    const one = await user(body);
    const { json } = await app.api('GET', `${ORGANIZATION}/members?limit=100`);
    expect(json.items.find(({ user_id }: { user_id: string }) => user_id === one.id).email).toMatch(/@scim\.invalid$/);
    await scim('DELETE', `/Users/${one.id}`);
    expect((await user({ ...body, externalId: 'another local' })).id).not.toBe(one.id);
  });
});

describe('the list of users', () => {
  it('is filtered by name, id, address and state', async () => {
    const one = await user({ displayName: `Shown ${++serial}` });
    const filters = [
      `userName eq "${String(one.userName).toUpperCase()}"`,
      `externalId eq "${one.externalId}"`,
      `displayName eq "${one.displayName}"`,
      `emails eq "${one.userName}"`,
      `emails.value eq "${one.userName}"`,
      `emails[type eq "work"].value eq "${one.userName}"`,
      `emails[type eq "work" and value eq "${one.userName}"]`,
      `id eq "${one.id}" and active eq true`,
      `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${one.userName}"`,
    ];
    for (const filter of filters) expect([filter, await found(filter)]).toEqual([filter, [one.id]]);
    expect(await found(`userName eq "${one.userName}" and active eq false`)).toEqual([]);
    expect(await found('userName eq "nobody"')).toEqual([]);
    for (const manager of ['manager', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager']) {
      expect(await found(`id eq "${one.id}" and ${manager} eq "${one.id}"`)).toEqual([]);
    }
  });

  it('is paged from 1, and cut to the attributes that are asked for', async () => {
    await user();
    await user();
    const all = (await scim('GET', '/Users')).json;
    const second = (await scim('GET', '/Users?startIndex=2&count=1')).json;
    expect(second).toMatchObject({ totalResults: all.totalResults, startIndex: 2, itemsPerPage: 1 });
    expect(second.Resources[0].id).toBe(all.Resources[1].id);
    expect((await scim('GET', '/Users?count=0')).json).toMatchObject({ totalResults: all.totalResults, Resources: [] });
    expect((await scim('GET', '/Users?startIndex=-5&count=-1')).json).toMatchObject({ startIndex: 1, itemsPerPage: 0 });
    const cut = (await scim('GET', '/Users?attributes=userName')).json.Resources[0];
    expect(Object.keys(cut).sort()).toEqual(['id', 'schemas', 'userName']);
    expect((await scim('GET', '/Users?excludedAttributes=meta')).json.Resources[0].meta).toBeUndefined();
  });

  it.each([
    ['filter=userName', 'invalidFilter'],
    ['filter=userName eq', 'invalidFilter'],
    ['filter=userName sw "a"', 'invalidFilter'],
    ['filter=userName eq "a" or userName eq "b"', 'invalidFilter'],
    ['filter=not (userName eq "a")', 'invalidFilter'],
    ['filter=password eq "x"', 'invalidFilter'],
    ['filter=constructor eq "x"', 'invalidFilter'],
    ['filter=((((', 'invalidFilter'],
    [`filter=${'('.repeat(5_000)}`, 'invalidFilter'],
    ['filter=userName eq 5', 'invalidFilter'],
    ['startIndex=x', 'invalidValue'],
    ['count=1.5', 'invalidValue'],
  ])('refuses %s', async (query, scimType) => {
    const [name = '', ...rest] = query.split('=');
    const answer = await scim('GET', `/Users?${name}=${encodeURIComponent(rest.join('='))}`);
    expect([answer.status, answer.json.scimType]).toEqual([400, scimType]);
  });
});

describe('a group', () => {
  it('is created with members, found, renamed and deleted', async () => {
    const [one, other] = [await user(), await user()];
    const course = await group([one.id, other.id], { externalId: `g-${++serial}` });
    expect(valuesOf(course)).toEqual([one.id, other.id].sort());
    for (const filter of [
      `displayName eq "${String(course.displayName).toUpperCase()}"`,
      `externalId eq "${course.externalId}"`,
      `members eq "${one.id}" and displayName eq "${course.displayName}"`,
      `members[value eq "${one.id}"]`,
      `members.value eq "${one.id}"`,
    ]) {
      expect([filter, await found(filter, scim, 'Groups')]).toEqual([filter, [course.id]]);
    }
    const short = await scim('GET', `/Groups/${course.id}?excludedAttributes=members`);
    expect(short.json.members).toBeUndefined();
    const shown = await app.api('GET', `${ORGANIZATION}/groups/${course.id}`);
    expect(shown.json).toMatchObject({ source: 'scim', member_count: 2, external_id: course.externalId });
    const renamed = await app.api(
      'PATCH',
      `${ORGANIZATION}/groups/${course.id}`,
      { name: 'Mine' },
      { 'if-match': '*' },
    );
    expect(renamed.status).toBe(409);
    expect((await scim('DELETE', `/Groups/${course.id}`)).status).toBe(204);
    expect((await scim('GET', `/Groups/${course.id}`)).status).toBe(404);
    expect((await app.api('GET', `${ORGANIZATION}/groups/${course.id}`)).status).toBe(404);
  });

  it('has a name that no other group has, also at the same moment', async () => {
    const made = await app.api('POST', `${ORGANIZATION}/groups`, { name: `Taken ${++serial}` });
    const refused = await scim('POST', '/Groups', { displayName: made.json.name });
    expect([refused.status, refused.json.scimType]).toEqual([409, 'uniqueness']);
    expect((await scim('GET', `/Groups/${made.json.id}`)).status).toBe(404);
    expect((await scim('DELETE', `/Groups/${made.json.id}`)).status).toBe(404);
    const body = { displayName: `Race ${++serial}`, externalId: `race-${serial}` };
    const answers = await Promise.all([1, 2].map(() => scim('POST', '/Groups', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('takes members in every dialect, any number of times', async () => {
    const [one, two, three] = [await user(), await user(), await user()];
    const course = await group([one.id]);
    const path = `/Groups/${course.id}`;
    const steps: [object, string[]][] = [
      [{ op: 'Add', path: 'members', value: [{ value: two.id }] }, [one.id, two.id]],
      [{ op: 'Add', path: 'members', value: [{ value: two.id }] }, [one.id, two.id]],
      [{ op: 'add', value: { members: [{ value: three.id }] } }, [one.id, two.id, three.id]],
      [{ op: 'Remove', path: `members[value eq "${one.id}"]` }, [two.id, three.id]],
      [{ op: 'remove', path: `members[value eq "${one.id}"]` }, [two.id, three.id]],
      [{ op: 'Remove', path: 'members', value: [{ value: two.id }] }, [three.id]],
      [{ op: 'replace', path: 'Members', value: [{ value: one.id }] }, [one.id]],
      [{ op: 'replace', value: { id: course.id, displayName: `Renamed ${++serial}` } }, [one.id]],
      [{ op: 'remove', path: 'members' }, []],
    ];
    for (const [operation, expected] of steps) {
      const answer = await patch(path, operation);
      expect([operation, answer.status, valuesOf(answer.json)]).toEqual([operation, 200, [...expected].sort()]);
    }
    const replaced = await scim('PUT', path, { displayName: 'Whole', members: [{ value: two.id }] });
    expect([replaced.json.displayName, valuesOf(replaced.json)]).toEqual(['Whole', [two.id]]);
  });

  it('takes back only the memberships that the directory gave', async () => {
    const one = await user();
    const course = await group([one.id]);
    const members = `${ORGANIZATION}/groups/${course.id}/members`;
    await app.api('POST', members, { members: [one.id] });
    await scim('PUT', `/Groups/${course.id}`, { displayName: course.displayName, members: [] });
    expect((await app.api('GET', members)).json.items.map(({ sources }: { sources: string[] }) => sources)).toEqual([
      ['manual'],
    ]);
    expect((await scim('GET', `/Groups/${course.id}`)).json.members).toEqual([]);
  });

  it('opens to its members, and no longer to a deleted user', async () => {
    const one = await user();
    const course = await group([one.id]);
    const reader = await keyOf(app, one.userName, { scopes: ['read'] });
    const made = await app.api('POST', '/api/v1/assistants', { name: 'Shared', metadata: { connector: 'bypass' } });
    const path = `/api/v1/assistants/${made.json.id}`;
    await app.api('PUT', `${path}/shares`, { groups: [{ group_id: course.id }] });
    expect((await reader.api('GET', path)).status).toBe(200);
    await patch(`/Groups/${course.id}`, { op: 'remove', path: `members[value eq "${one.id}"]` });
    expect((await reader.api('GET', path)).status).toBe(404);
    await patch(`/Groups/${course.id}`, { op: 'add', path: 'members', value: [{ value: one.id }] });
    await scim('DELETE', `/Users/${one.id}`);
    expect((await reader.api('GET', path)).status).toBe(401);
    expect((await scim('GET', `/Groups/${course.id}`)).json.members).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{}, 'invalidValue'],
    [{ displayName: 7 }, 'invalidValue'],
    [{ displayName: 'x', members: [{}] }, 'invalidValue'],
    [{ displayName: 'x', members: [{ value: 'nobody' }] }, 'invalidValue'],
    [{ displayName: 'x', members: [{ value: '01a20082-0000-7000-8000-000000000000' }] }, 'invalidValue'],
    ['x', 'invalidSyntax'],
  ])('is not created from %j', async (body, scimType) => {
    const answer = await scim('POST', '/Groups', body);
    expect([answer.status, answer.json.scimType]).toEqual([400, scimType]);
  });
});

it('what a directory did is in the audit log, with the id of its token', async () => {
  const one = await user();
  await scim('DELETE', `/Users/${one.id}`);
  const { items } = (await app.api('GET', `${ORGANIZATION}/audit?limit=100`)).json;
  const own = items.filter((entry: any) => entry.target.id === one.id);
  expect(own.map((entry: any) => entry.action)).toEqual(['member.update', 'member.add']);
  expect(JSON.stringify(own)).toMatch(/scim:[0-9a-f-]{36}/);
});

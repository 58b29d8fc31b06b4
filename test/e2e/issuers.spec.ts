import { DataSource } from 'typeorm';
import supertest from 'supertest';
import { LambImport } from '../../extensions/lamb-import';
import { startApp, type TestApp } from '../support/app';
import { OpenIdProvider } from '../support/openid-provider';
import { foreignOrganization, type Person, person } from '../support/people';
import { SsoBrowser } from '../support/sso-browser';
import { assistant, importOptions, place, sourceOf, user } from '../support/lamb-source';

let app: TestApp;
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await OpenIdProvider.start();
  app = await startApp();
});
afterAll(async () => {
  await app.stop();
  await provider.down();
});
beforeEach(() => {
  provider.person = { sub: 'ada', email: 'ada@uni.example', email_verified: true, name: 'Ada' };
});

const PATH = '/api/v1/organizations/default/sign-on/issuers';
let serial = 0;
const issuer = (changes: object = {}) => ({
  key: `campus-${++serial}`,
  name: 'Example University',
  issuer: provider.url,
  client_id: provider.clientId,
  client_secret: provider.clientSecret,
  ...changes,
});
async function made(changes: object = {}, path = PATH): Promise<any> {
  const answer = await app.api('POST', path, issuer(changes));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}
/** Another organization with an owner of its own. */
async function foreign(): Promise<{ slug: string; owner: Person }> {
  const slug = await foreignOrganization(app);
  const scopes = ['read', 'write', 'admin'];
  return { slug, owner: await person(app, { organization: slug, role: 'owner', scopes }) };
}
const browser = (): SsoBrowser => new SsoBrowser(app);
const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('an issuer', () => {
  it('is stored with a sealed secret, and answers with the addresses that the provider needs', async () => {
    const one = await made();
    expect(one).toMatchObject({
      issuer: provider.url,
      client_secret_configured: true,
      accounts: 'just_in_time',
      link_verified_email: false,
      default_role: 'member',
      roles: {},
      redirect_uri: `${app.url}/auth/oidc/${one.key}/callback`,
      backchannel_logout_uri: `${app.url}/auth/oidc/${one.key}/backchannel-logout`,
      version: 1,
    });
    const stored = await sql('SELECT * FROM oidc_issuers');
    const audit = await sql(`SELECT * FROM audit_entries WHERE action LIKE 'oidc_issuer.%'`);
    expect(audit).not.toHaveLength(0);
    expect(JSON.stringify([one, stored, audit]) + app.log()).not.toContain(provider.clientSecret);
  });

  it('is changed under a version, and loses its secret with its address', async () => {
    const one = await made();
    const url = `${PATH}/${one.key}`;
    const renamed = await app.api('PATCH', url, { name: 'Renamed', role_claim: 'groups' }, { 'if-match': '"1"' });
    expect(renamed.json).toMatchObject({
      name: 'Renamed',
      role_claim: 'groups',
      client_secret_configured: true,
      version: 2,
    });
    expect((await app.api('PATCH', url, { name: 'Late' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await app.api('PATCH', url, { name: 'Renamed' })).json.version).toBe(2);
    const moved = await app.api('PATCH', url, { issuer: `${provider.url}/other` });
    expect(moved.json).toMatchObject({ client_secret_configured: false, version: 3 });
    const listed = await app.api('GET', PATH);
    expect(listed.json).toMatchObject({ total: expect.any(Number), next_cursor: null });
    expect(listed.json.items).toContainEqual(moved.json);
    expect((await app.api('DELETE', url)).status).toBe(204);
    expect((await app.api('GET', url)).status).toBe(404);
  });

  it.each([
    ['a key with capitals', { key: 'Campus' }, 400],
    ["the environment's key", { key: 'default' }, 400],
    ['no address', { issuer: 'campus' }, 400],
    ['an address with a query', { issuer: 'https://uni.example/?x=1' }, 400],
    ['an address with a password', { issuer: 'https://a:b@uni.example' }, 400],
    ['a private address', { issuer: 'http://10.0.0.1' }, 400],
    ['a symmetric signature', { signing_algorithm: 'HS256' }, 400],
    ['an unknown role', { roles: { staff: 'root' } }, 400],
    ['invitations that nobody could take', { accounts: 'invitation' }, 400],
    ['a picture that is a page', { logo: 'data:text/html;base64,PGI+' }, 400],
    ['scopes without openid', { scopes: 'email' }, 400],
    ['no name', { name: undefined }, 400],
    ['no client', { client_id: undefined }, 400],
    ['an id', { id: 'x' }, 400],
    ['an organization', { organization_id: 'x' }, 400],
  ])('with %s is refused', async (_, changes, status) => {
    expect((await app.api('POST', PATH, issuer(changes))).status).toBe(status);
  });

  it('is for owners to set, for administrators to see, and for nobody else', async () => {
    const one = await made();
    const admin = await person(app, { role: 'admin', scopes: ['read', 'write', 'admin'] });
    expect((await admin.api('GET', `${PATH}/${one.key}`)).status).toBe(200);
    expect((await admin.api('POST', PATH, issuer())).status).toBe(403);
    expect((await admin.api('PATCH', `${PATH}/${one.key}`, { name: 'x' })).status).toBe(403);
    expect((await admin.api('DELETE', `${PATH}/${one.key}`)).status).toBe(403);
    const owner = await person(app, { role: 'owner', scopes: ['read', 'write', 'admin'] });
    expect((await owner.api('POST', PATH, issuer({ for_all: true }))).status).toBe(403);
    expect((await owner.api('POST', PATH, issuer())).status).toBe(201);
    const teacher = await person(app);
    expect((await teacher.api('GET', PATH)).status).toBe(403);
    const { slug, owner: stranger } = await foreign();
    expect((await stranger.api('GET', `${PATH}/${one.key}`)).status).toBe(404);
    const theirs = `/api/v1/organizations/${slug}/sign-on/issuers/${one.key}`;
    for (const [method, path] of [
      ['GET', theirs],
      ['POST', `${theirs}/test`],
      ['POST', `${theirs}/trial`],
    ] as const) {
      expect((await stranger.api(method, path)).status).toBe(404);
    }
  });

  const offered = async (query = ''): Promise<any[]> =>
    (await supertest(app.url).get(`/api/v1/session${query}`).expect(200)).body.providers;
  const names = async (query = ''): Promise<string[]> => (await offered(query)).map(({ name }) => name);

  it('shows its name and picture on the sign-in page of its organization where it is listed', async () => {
    const one = await made({ name: 'With picture', logo: `data:image/png;base64,${PIXEL}` });
    const unlisted = await made({ name: 'Unlisted', listed: false });
    await made({ name: 'Off', enabled: false });
    const providers = await offered('?organization=default');
    expect(providers).toContainEqual({
      name: 'With picture',
      organization: 'Default organization',
      url: `/auth/oidc/${one.key}/login`,
      logo: `/auth/oidc/${one.key}/logo`,
    });
    expect(JSON.stringify(providers)).not.toMatch(/Unlisted|Off/);
    expect(await names(`?issuer=${unlisted.key}`)).toEqual(['Unlisted']);
    expect(await names('?issuer=unknown')).toEqual([]);
    expect(await names()).not.toContain('With picture');
    const picture = await browser().visit(`/auth/oidc/${one.key}/logo`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  });
});

describe('the sign-in page of everybody', () => {
  const names = async (query = ''): Promise<string[]> =>
    (await supertest(app.url).get(`/api/v1/session${query}`).expect(200)).body.providers.map(({ name }: any) => name);

  it('shows what system administrators put there, and nothing that an owner of an organization sets', async () => {
    const { slug, owner } = await foreign();
    const path = `/api/v1/organizations/${slug}/sign-on/issuers`;
    const own = issuer({ name: `Of ${slug}` });
    expect((await owner.api('POST', path, { ...own, listed_for_everybody: true })).status).toBe(403);
    expect((await owner.api('POST', path, { ...own, sign_in_domains: ['uni.example'] })).status).toBe(403);
    expect((await owner.api('POST', path, own)).status).toBe(201);
    expect(await names()).not.toContain(own.name);
    expect(await names(`?organization=${slug}`)).toContain(own.name);
    const url = `${path}/${own.key}`;
    const shown = { listed_for_everybody: true, sign_in_domains: [`${slug}.Example`] };
    expect((await app.api('PATCH', url, shown)).json).toMatchObject({ ...shown, sign_in_domains: [`${slug}.example`] });
    expect(await names()).toContain(own.name);
    expect(await names(`?email_domain=${slug}.EXAMPLE`)).toEqual([own.name]);
    expect(await names('?email_domain=elsewhere.example')).toEqual([]);
    for (const change of [
      { name: 'Other University' },
      { issuer: 'https://evil.example' },
      { logo: `data:image/png;base64,${PIXEL}` },
    ]) {
      expect((await owner.api('PATCH', url, change)).json).toMatchObject({ code: 'forbidden' });
    }
    expect((await owner.api('PATCH', url, { role_claim: 'roles', name: own.name })).status).toBe(200);
    expect((await owner.api('PATCH', url, { listed_for_everybody: false, sign_in_domains: [] })).status).toBe(200);
    expect(await names()).not.toContain(own.name);
    expect((await owner.api('PATCH', url, { name: 'Renamed' })).status).toBe(200);
  });

  it.each(['organization=a b', 'email_domain=@', 'issuer=..', 'x=1'])('refuses ?%s', async (query) => {
    await supertest(app.url)
      .get(`/api/v1/session?${encodeURI(query)}`)
      .expect(400);
  });

  it('is told to administrators of every organization, with the services that others set for all', async () => {
    const { slug, owner } = await foreign();
    const all = await made({ for_all: true, name: 'For all' });
    const { json } = await owner.api('GET', `/api/v1/organizations/${slug}/sign-on/issuers`);
    expect(json.items).toEqual([]);
    expect(json.set_elsewhere).toContainEqual({ key: all.key, name: 'For all', issuer: provider.url, for_all: true });
    expect((await app.api('GET', PATH)).json.set_elsewhere).toEqual([]);
  });
});

describe('signing in through it', () => {
  it('belongs to its organization, with a role and groups by nested claims', async () => {
    const { slug, owner } = await foreign();
    const path = `/api/v1/organizations/${slug}/sign-on/issuers`;
    const own = issuer({ role_claim: 'realm_access.roles', roles: { lecturer: 'teacher' }, groups_claim: 'groups' });
    expect((await owner.api('POST', path, own)).status).toBe(201);
    provider.person = {
      sub: 'lec',
      email: 'lec@uni.example',
      realm_access: { roles: ['x', 'lecturer'] },
      groups: ['/course-1'],
    };
    const one = browser();
    expect(await one.signIn(own.key)).toBe('/');
    expect(await one.me()).toMatchObject({ organization: { slug }, role: 'teacher' });
    const people = await owner.api('GET', `${path}/${own.key}/people`);
    expect(people.json.items).toMatchObject([
      {
        subject: 'lec',
        email: 'lec@uni.example',
        groups: ['/course-1'],
        claims: { realm_access: { roles: ['x', 'lecturer'] } },
      },
    ]);
    expect(people.text).not.toContain('nonce');
  });

  describe('with groups of the organization', () => {
    const GROUPS = '/api/v1/organizations/default/groups';
    const group = async (body: object): Promise<string> =>
      (await app.api('POST', GROUPS, { name: `Sign-in ${++serial}`, ...body })).json.id;
    const signIn = async (key: string, sub: string, claims: object): Promise<string> => {
      provider.person = { sub, email: `${sub}@uni.example`, ...claims };
      const one = browser();
      await one.signIn(key);
      return (await one.me()).user.id;
    };
    const sourcesIn = async (id: string, userId: string): Promise<string[]> =>
      (await app.api('GET', `${GROUPS}/${id}/members`)).json.items
        .filter((member: { user_id: string }) => member.user_id === userId)
        .flatMap(({ sources }: { sources: string[] }) => sources);

    it('joins those with the external ids of the claim, and leaves them at the sign-in that no longer names them', async () => {
      const own = await made({ groups_claim: 'realm.groups', group_match: 'external_id' });
      const [one, other] = [`/courses/${++serial}`, `/courses/${++serial}`];
      const [first, second] = [await group({ external_id: one }), await group({ external_id: other })];
      const named = await group({ name: `Named ${++serial}` });
      const userId = await signIn(own.key, 'joiner', { realm: { groups: [one, `Named ${serial}`] } });
      const all = async () => Promise.all([first, second, named].map((id) => sourcesIn(id, userId)));
      expect(await all()).toEqual([['sso'], [], []]);
      await app.api('POST', `${GROUPS}/${first}/members`, { members: [userId] });
      await signIn(own.key, 'joiner', { realm: { groups: [other] } });
      expect(await all()).toEqual([['manual'], ['sso'], []]);
      await signIn(own.key, 'joiner', {});
      expect(await all()).toEqual([['manual'], [], []]);
      const refused = await app.api('DELETE', `${GROUPS}/${second}/members/${userId}`);
      expect(refused.status).toBe(404);
    });

    it('joins groups of the administrators by name, without regard to case, and no group of a teacher', async () => {
      const own = await made({ groups_claim: 'groups', group_match: 'name' });
      const name = `Faculty ${++serial}`;
      const theirs = await group({ name });
      const teacher = await person(app);
      const taken = await teacher.api('POST', GROUPS, { name: `Staff ${serial}` });
      const userId = await signIn(own.key, 'named', { groups: [name.toUpperCase(), `Staff ${serial}`] });
      expect([await sourcesIn(theirs, userId), await sourcesIn(taken.json.id, userId)]).toEqual([['sso'], []]);
      expect((await app.api('DELETE', `${GROUPS}/${theirs}/members/${userId}`)).status).toBe(409);
    });

    it('keeps them where the provider leaves the claim out for its length, and loses them without a match', async () => {
      const own = await made({ groups_claim: 'groups', group_match: 'external_id' });
      const external = `/courses/${++serial}`;
      const id = await group({ external_id: external });
      const userId = await signIn(own.key, 'many', { groups: [external] });
      await signIn(own.key, 'many', { hasgroups: true });
      expect(await sourcesIn(id, userId)).toEqual(['sso']);
      const path = `${PATH}/${own.key}`;
      expect((await app.api('PATCH', path, { group_match: null }, { 'if-match': '"1"' })).json.group_match).toBeNull();
      await signIn(own.key, 'many', { groups: [external] });
      expect(await sourcesIn(id, userId)).toEqual([]);
      expect((await app.api('PATCH', path, { group_match: 'id' }, { 'if-match': '"2"' })).status).toBe(400);
    });
  });

  it('is the same person in two organizations, each through its own issuer', async () => {
    const { slug, owner } = await foreign();
    const theirs = issuer();
    await owner.api('POST', `/api/v1/organizations/${slug}/sign-on/issuers`, theirs);
    const ours = await made();
    provider.person = { sub: 'both', email: 'both@uni.example', email_verified: true };
    const [here, there] = [browser(), browser()];
    await here.signIn(ours.key);
    await there.signIn(theirs.key);
    const [one, other] = [await here.me(), await there.me()];
    expect(one.user.id).toBe(other.user.id);
    expect([one.organization.slug, other.organization.slug]).toEqual(['default', slug]);
  });

  it.each(['victim', 'system administrator'])(
    'never reaches an account that the rules of another organization linked: %s',
    async (who) => {
      const email = who === 'victim' ? (await person(app)).email : 'admin@localhost';
      const { slug, owner } = await foreign();
      const theirs = issuer({ link_verified_email: true });
      await owner.api('POST', `/api/v1/organizations/${slug}/sign-on/issuers`, theirs);
      const ours = await made();
      const sub = `mallory-${email}`;
      provider.person = { sub, email, email_verified: true };
      await browser().signIn(theirs.key);
      provider.person = { sub, email: `${++serial}@uni.example`, email_verified: true };
      const mallory = browser();
      expect(await mallory.signIn(ours.key)).toBe('/');
      expect(await mallory.me()).toMatchObject({ user: { email: `${serial}@uni.example` }, system_admin: false });
    },
  );

  it('gives another organization no say under the key of a removed issuer', async () => {
    const { slug, owner } = await foreign();
    const theirs = `/api/v1/organizations/${slug}/sign-on/issuers`;
    const reused = issuer({ link_verified_email: true });
    await owner.api('POST', theirs, reused);
    const victim = await person(app);
    provider.person = { sub: 'reused', email: victim.email, email_verified: true };
    expect(await browser().signIn(reused.key)).toBe('/');
    await owner.api('DELETE', `${theirs}/${reused.key}`);
    await made({ key: reused.key });
    provider.person = { sub: 'reused', email: 'reused@uni.example', email_verified: true };
    const mallory = browser();
    await mallory.signIn(reused.key);
    expect((await mallory.me()).user.email).toBe('reused@uni.example');
  });

  it('does not take an answer that another issuer asked for', async () => {
    const [one, other] = [await made(), await made()];
    const ada = browser();
    const answer = (await ada.begin(one.key)).replace(one.key, other.key);
    expect((await ada.visit(answer)).location).toBe('/sign-in?problem=sso_expired');
  });

  it.each([
    ['a verified address', { email_verified: true }, true, '/'],
    ['an unverified address', { email_verified: false }, true, '/sign-in?problem=sso_account_exists'],
    ['an address without a word about it', {}, true, '/sign-in?problem=sso_account_exists'],
    ['a verified address where linking is off', { email_verified: true }, false, '/sign-in?problem=sso_account_exists'],
  ])('with %s links an account accordingly', async (_, claims, link_verified_email, expected) => {
    const teacher = await person(app);
    const { key } = await made({ link_verified_email });
    provider.person = { sub: `link-${teacher.email}`, email: teacher.email, ...claims };
    const one = browser();
    expect(await one.signIn(key)).toBe(expected);
    if (expected === '/') expect(await one.me()).toMatchObject({ user: { id: teacher.userId }, role: 'teacher' });
  });

  it('links a teacher who was imported from LAMB, with all assistants, and lets no stranger in', async () => {
    const { organizations, sourceName, slug } = place();
    const email = 'Ines.Lamb@uni.example';
    const users = [user(1), user(2, { email })];
    const assistants = [assistant(900, { ownerEmail: email, name: 'Hers' })];
    await app.get(LambImport).run(sourceOf({ organizations, users, assistants }), importOptions({ sourceName }));
    const theirs = issuer({ link_verified_email: true, accounts: 'invitation' });
    expect((await app.api('POST', `/api/v1/organizations/${slug}/sign-on/issuers`, theirs)).status).toBe(201);
    provider.person = { sub: 'ines', email: 'ines.lamb@uni.example', email_verified: true };
    const ines = browser();
    expect(await ines.signIn(theirs.key)).toBe('/');
    expect(await ines.me()).toMatchObject({ role: 'teacher', organization: { slug } });
    expect(JSON.parse((await ines.visit('/api/v1/assistants')).text).items).toMatchObject([
      { id: 900, name: 'Hers', access: 'owner' },
    ]);
    provider.person = { sub: 'nobody', email: 'nobody.lamb@uni.example', email_verified: true };
    expect(await browser().signIn(theirs.key)).toMatch(/problem=sso_/);
  });

  it('never links an owner or a system administrator', async () => {
    const { key } = await made({ link_verified_email: true });
    for (const email of [(await person(app, { role: 'owner' })).email, 'admin@localhost']) {
      provider.person = { sub: `x-${email}`, email, email_verified: true };
      expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_account_exists');
    }
  });

  it('of all organizations never links an owner or a system administrator by way of another organization', async () => {
    const [home, elsewhere] = [await foreign(), await foreign()];
    const { key } = await made({ for_all: true, organization_claim: 'faculty', link_verified_email: true });
    for (const [email, slug] of [
      [home.owner.email, home.slug],
      ['admin@localhost', 'default'],
    ] as const) {
      const sub = `detour-${email}`;
      provider.person = { sub, email, email_verified: true, faculty: elsewhere.slug };
      expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_account_exists');
      provider.person = { ...provider.person, faculty: slug };
      expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_account_exists');
    }
  });

  it('by invitation is for members that an administrator added', async () => {
    const { key } = await made({ accounts: 'invitation', link_verified_email: true });
    provider.person = { sub: 'stranger', email: 'stranger@uni.example', email_verified: true };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_not_invited');
    const members = '/api/v1/organizations/default/members';
    await app.api('POST', members, { email: 'stranger@uni.example', name: 'Stranger', role: 'teacher' });
    const one = browser();
    expect(await one.signIn(key)).toBe('/');
    expect((await one.me()).role).toBe('teacher');
    await app.api('PATCH', `${members}/stranger@uni.example`, { disabled: true });
    expect(await one.me()).toBe(401);
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_disabled');
  });

  it('without any role is refused where there is no default one, and takes an old role away', async () => {
    const { key } = await made({ role_claim: 'roles', roles: { staff: 'teacher' }, default_role: null });
    provider.person = { sub: 'norole', email: 'norole@uni.example' };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_no_role');
    provider.person = { ...provider.person, roles: 'staff' };
    const one = browser();
    await one.signIn(key);
    expect((await one.me()).role).toBe('teacher');
    provider.person = { ...provider.person, roles: 'guest' };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_no_role');
    expect(await one.me()).toBe(401);
  });

  it('without any role stays out, however the person is known in another organization', async () => {
    const { slug, owner } = await foreign();
    const audience = `api-${++serial}`;
    const strict = issuer({ audience, role_claim: 'roles', roles: { staff: 'teacher' }, default_role: null });
    await owner.api('POST', `/api/v1/organizations/${slug}/sign-on/issuers`, strict);
    const ours = await made();
    const known = { sub: `known-${serial}`, email: `known-${serial}@uni.example`, email_verified: true };
    provider.person = known;
    expect(await browser().signIn(ours.key)).toBe('/');
    const authorization = `Bearer ${await provider.sign({ ...known, aud: audience })}`;
    expect((await app.api('GET', '/api/v1/me', undefined, { authorization })).status).toBe(401);
    const all = await made({
      for_all: true,
      organization_claim: 'faculty',
      role_claim: 'roles',
      default_role: null,
      audience: `all-${serial}`,
    });
    provider.person = {
      ...known,
      sub: `all-${serial}`,
      email: `all-${serial}@uni.example`,
      roles: 'member',
      faculty: 'default',
    };
    expect(await browser().signIn(all.key)).toBe('/');
    const { roles: _, ...silent } = provider.person;
    const token = await provider.sign({ ...silent, faculty: slug, aud: `all-${serial}` });
    expect((await app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('of all organizations goes by claim or by the domain of a verified address', async () => {
    const [physics, arts] = [await foreign(), await foreign()];
    const { key } = await made({
      for_all: true,
      organization_claim: 'faculty',
      organizations: { PHYS: physics.slug },
      email_domains: { 'arts.example': arts.slug },
    });
    const where = async (claims: object): Promise<string> => {
      provider.person = { sub: `for-all-${++serial}`, ...claims };
      const one = browser();
      const end = await one.signIn(key);
      return end === '/' ? (await one.me()).organization.slug : String(end);
    };
    expect(await where({ faculty: ['LAW', 'PHYS'] })).toBe(physics.slug);
    expect(await where({ email: 'x1@arts.example', email_verified: true })).toBe(arts.slug);
    expect(await where({ email: 'x2@arts.example', email_verified: false })).toBe(
      '/sign-in?problem=sso_no_organization',
    );
    expect(await where({ faculty: 'default' })).toBe('/sign-in?problem=sso_no_organization');
  });

  it('ends when it is switched off', async () => {
    const { key } = await made();
    const one = browser();
    provider.person = { sub: 'off', email: 'off@uni.example' };
    await one.signIn(key);
    expect((await one.me()).role).toBe('member');
    await app.api('PATCH', `${PATH}/${key}`, { enabled: false });
    expect(await one.me()).toBe(401);
    expect((await one.press(key)).status).toBe(404);
  });
});

describe('testing it', () => {
  it('says what the provider offers', async () => {
    const { key } = await made();
    const report = await app.api('POST', `${PATH}/${key}/test`);
    expect(report.json).toMatchObject({ ok: true, me: null });
    expect(report.json.checks.map(({ check, state }: any) => [check, state])).toEqual([
      ['metadata', 'passed'],
      ['keys', 'passed'],
      ['algorithm', 'passed'],
      ['pkce', 'passed'],
      ['secret', 'passed'],
      ['logout', 'passed'],
    ]);
    const wrong = await made({ issuer: `${provider.url}/realms/none`, signing_algorithm: 'ES256' });
    expect((await app.api('POST', `${PATH}/${wrong.key}/test`)).json).toMatchObject({
      ok: false,
      checks: [{ check: 'metadata', state: 'failed' }],
    });
  });

  it('shows what would happen for me, and signs nobody in', async () => {
    const { key } = await made({ enabled: false, role_claim: 'roles', roles: { staff: 'teacher' } });
    provider.person = { sub: 'trial', email: 'trial@uni.example', email_verified: true, roles: ['staff'] };
    const one = browser();
    const begun = await fetch(`${app.url}${PATH}/${key}/trial`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.adminKey}` },
    });
    one.cookies.set('bw-sso', /bw-sso=([\w-]+)/.exec(begun.headers.getSetCookie().join())?.[1] ?? '');
    const answered = await one.visit(((await begun.json()) as any).url);
    const { location } = await one.visit(answered.location ?? '');
    const [path, outcome = ''] = (location ?? '').split('#trial=');
    expect(path).toBe(`/organization/sign-on/issuers/${key}?org=default`);
    expect(JSON.parse(Buffer.from(outcome, 'base64url').toString())).toMatchObject({
      problem: null,
      organization: 'default',
      role: 'teacher',
      email_verified: true,
      claims: { roles: ['staff'] },
    });
    expect(await one.me()).toBe(401);
    expect(await sql(`SELECT 1 FROM oidc_identities WHERE subject = 'trial'`)).toEqual([]);
  });

  it('comes back to the administrator with the reason when the sign-in fails', async () => {
    const { key } = await made({ client_secret: 'wrong' });
    const begun = await app.api('POST', `${PATH}/${key}/trial`);
    const one = browser();
    one.cookies.set('bw-sso', /bw-sso=([\w-]+)/.exec(begun.headers.getSetCookie().join())?.[1] ?? '');
    const answered = await one.visit(begun.json.url);
    const [path, outcome = ''] = ((await one.visit(answered.location ?? '')).location ?? '').split('#trial=');
    expect(path).toBe(`/organization/sign-on/issuers/${key}?org=default`);
    expect(JSON.parse(Buffer.from(outcome, 'base64url').toString())).toEqual({
      failure: 'refused',
      reason: 'provider: invalid_client',
    });
  });

  it('warns where an ID token could pass as an access token', async () => {
    const { key } = await made({ audience: provider.clientId });
    const tokenCheck = async (): Promise<string> =>
      (await app.api('POST', `${PATH}/${key}/test`)).json.checks.find(({ check }: any) => check === 'access_tokens')
        .state;
    expect(await tokenCheck()).toBe('warned');
    const status = async (claims: object): Promise<number> => {
      const token = await provider.sign({
        aud: provider.clientId,
        sub: 'quiet',
        email: 'quiet@uni.example',
        ...claims,
      });
      return (await app.api('GET', '/api/v1/me', undefined, { authorization: `Bearer ${token}` })).status;
    };
    expect(await status({})).toBe(401);
    expect(await status({ azp: provider.clientId })).toBe(401);
    expect(await status({ scope: 'openid' })).toBe(200);
    expect(await status({ scp: 'ask' })).toBe(200);
    expect(await status({ typ: 'Bearer' })).toBe(200);
    expect(await status({ typ: 'ID', scope: 'openid' })).toBe(401);
    await app.api('PATCH', `${PATH}/${key}`, { access_token_type: 'at+jwt' });
    expect(await tokenCheck()).toBe('passed');
  });
});

it('an issuer is the only way in where local sign-in is off, but for system administrators and programs', async () => {
  const path = '/api/v1/organizations/default';
  const signIn = (key: string) => supertest(app.url).post('/api/v1/session').send({ api_key: key });
  const teacher = await person(app);
  expect((await app.api('PATCH', path, { features: { local_sign_in: false } })).status).toBe(200);
  expect((await signIn(teacher.key)).body).toMatchObject({ status: 403, code: 'feature_disabled' });
  expect((await teacher.api('GET', '/api/v1/me')).status).toBe(200);
  expect((await signIn(app.adminKey)).status).toBe(200);
  expect((await signIn('eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.AAAA')).status).toBe(401);
  expect((await app.api('PATCH', path, { features: { local_sign_in: null } })).status).toBe(200);
  expect((await signIn(teacher.key)).status).toBe(200);
});

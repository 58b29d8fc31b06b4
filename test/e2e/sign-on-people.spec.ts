import { uuidTime } from '@bellwether/kernel';
import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { OpenIdProvider } from '../support/openid-provider';
import { foreignOrganization, type Person, person } from '../support/people';
import { SsoBrowser } from '../support/sso-browser';

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

describe('a provider that tells only the subject in the ID token', () => {
  let thin: OpenIdProvider;
  let settings: object;
  beforeAll(async () => {
    thin = await OpenIdProvider.start();
    thin.userinfo = {};
    thin.changeIdToken = ({ sub, aud, nonce }) => ({ sub, aud, nonce });
    settings = { issuer: thin.url, role_claim: 'realm.roles', roles: { staff: 'teacher' } };
  });
  afterAll(() => thin.down());

  it('is asked at its userinfo endpoint for name, address and role, which are followed at the next sign-in', async () => {
    const { key } = await made(settings);
    thin.person = { sub: 'dwho' };
    thin.userinfo = 403;
    const early = browser();
    expect(await early.signIn(key)).toBe('/');
    expect(await early.me()).toMatchObject({
      role: 'member',
      user: { name: 'dwho', email: expect.stringMatching(/\.invalid$/) },
    });
    const user = { name: 'Doctor Who', email: 'dwho@badwolf.example' };
    thin.userinfo = { sub: 'dwho', ...user, email_verified: true, realm: { roles: ['staff'] } };
    const one = browser();
    expect(await one.signIn(key)).toBe('/');
    expect(await one.me()).toMatchObject({ role: 'teacher', user });
    expect(app.log()).toContain('the userinfo endpoint refused');
  });

  it('cannot give claims of another subject, and signs nobody in without an answer that the settings ask for', async () => {
    const { key } = await made(settings);
    thin.person = { sub: 'honest' };
    thin.userinfo = { sub: 'other', realm: { roles: ['staff'] } };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_refused');
    const strict = await made({ ...settings, userinfo: true });
    thin.userinfo = 403;
    expect(await browser().signIn(strict.key)).toBe('/sign-in?problem=sso_refused');
  });

  it('is told in the log and in the test of the connection when a configured claim never came', async () => {
    const { key } = await made(settings);
    const claims = async (): Promise<string> => {
      const { checks } = (await app.api('POST', `${PATH}/${key}/test`)).json;
      return checks.find(({ check }: any) => check === 'claims').state;
    };
    expect(await claims()).toBe('warned');
    thin.person = { sub: 'roleless' };
    thin.userinfo = { sub: 'roleless', name: 'No role', email: 'roleless@uni.example' };
    await browser().signIn(key);
    expect(await claims()).toBe('warned');
    const told = app
      .log()
      .split('\n')
      .filter((line) => line.includes('a configured claim did not come'));
    expect(told.filter((line) => line.includes(key) && line.includes('realm.roles'))).toHaveLength(1);
    thin.userinfo = { ...thin.userinfo, realm: { roles: ['staff'] } };
    await browser().signIn(key);
    expect(await claims()).toBe('passed');
  });
});

it('a sign-in keeps name and address of a person as the provider has them, where the address is free', async () => {
  const { key } = await made();
  const email = `married-${++serial}@uni.example`;
  const sub = `married-${serial}`;
  provider.person = { sub, email: `maiden-${serial}@uni.example`, name: 'Maiden Name' };
  await browser().signIn(key);
  const user = async (claims: object): Promise<any> => {
    provider.person = { sub, ...claims };
    const one = browser();
    await one.signIn(key);
    return (await one.me()).user;
  };
  const verified = { email_verified: true, name: 'Married Name' };
  expect(await user({ email, ...verified })).toMatchObject({ email, name: 'Married Name' });
  expect(await user({ email: 'unproven@uni.example', name: 'Married Name' })).toMatchObject({ email });
  expect(await user({ email: (await person(app)).email, ...verified })).toMatchObject({ email });
  expect(await user({ email: 'unchecked@uni.example', email_verified: false })).toMatchObject({
    email,
    name: 'Married Name',
  });
  // A member whom an administrator added keeps what the administrator wrote.
  const linking = await made({ link_verified_email: true });
  const added = await person(app);
  provider.person = { sub: 'added', email: added.email, email_verified: true, name: 'First' };
  for (const name of ['First', 'Second']) {
    provider.person = { ...provider.person, name };
    const one = browser();
    await one.signIn(linking.key);
    expect((await one.me()).user.name).toMatch(/^Person /);
  }
});

describe('a sign-in beside a directory (SCIM)', () => {
  let directory: (method: string, path: string, body?: unknown) => Promise<any>;
  beforeAll(async () => {
    const { json } = await app.api('POST', '/api/v1/organizations/default/scim/tokens', { name: 'Directory' });
    directory = async (method, path, body) =>
      app.api(method, `/scim/v2${path}`, body, {
        authorization: `Bearer ${json.token as string}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      });
  });
  const user = (externalId: string, userName: string) => ({ userName, externalId, displayName: externalId });

  it('is that of the person with the external id in the claims, whoever comes first and whatever the address', async () => {
    const { key } = await made({ external_id_claim: 'oid' });
    const first = (await directory('POST', '/Users', user('oid-1', 'stan@uni.example'))).json;
    provider.person = { sub: 'stan', oid: 'oid-1', email: 'stan.k@uni.example' };
    const stan = browser();
    expect(await stan.signIn(key)).toBe('/');
    expect((await stan.me()).user).toMatchObject({ id: first.id, email: 'stan@uni.example' });
    provider.person = { sub: 'kyle', oid: 'oid-2', email: 'kyle@uni.example' };
    const kyle = browser();
    await kyle.signIn(key);
    const later = await directory('POST', '/Users', user('oid-2', 'kyle.b@uni.example'));
    expect([later.status, later.json.id]).toEqual([201, (await kyle.me()).user.id]);
    await directory('PATCH', `/Users/${first.id as string}`, {
      Operations: [{ op: 'replace', path: 'active', value: 'False' }],
    });
    provider.person = { sub: 'stan', oid: 'oid-1' };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_disabled');
  });

  it('is not that of somebody else who has the address now', async () => {
    const { key } = await made({ external_id_claim: 'oid', link_verified_email: true });
    await directory('POST', '/Users', user('oid-3', 'reused@uni.example'));
    provider.person = { sub: 'new', oid: 'oid-4', email: 'reused@uni.example', email_verified: true };
    expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_account_exists');
    provider.person = { sub: 'early', oid: 'oid-5', email: 'early@uni.example' };
    await browser().signIn(key);
    const other = await directory('POST', '/Users', user('oid-6', 'early@uni.example'));
    expect([other.status, other.json.scimType]).toEqual([409, 'uniqueness']);
  });
});

it('links neither a member who was removed or disabled, nor a system administrator of another organization', async () => {
  const { slug, owner } = await foreign();
  const path = `/api/v1/organizations/${slug}/sign-on/issuers`;
  const theirs = issuer({ link_verified_email: true });
  expect((await owner.api('POST', path, theirs)).status).toBe(201);
  provider.person = { sub: 'detour', email: 'admin@localhost', email_verified: true };
  expect(await browser().signIn(theirs.key)).toBe('/sign-in?problem=sso_account_exists');
  const { key } = await made({ link_verified_email: true });
  const [gone, off] = [await person(app), await person(app)];
  const members = '/api/v1/organizations/default/members';
  await app.api('DELETE', `${members}/${gone.userId}`);
  await app.api('PATCH', `${members}/${off.userId}`, { disabled: true });
  provider.person = { sub: 'heir', email: gone.email, email_verified: true };
  const heir = browser();
  expect(await heir.signIn(key)).toBe('/');
  expect((await heir.me()).user.id).not.toBe(gone.userId);
  provider.person = { sub: 'other heir', email: off.email, email_verified: true };
  expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_disabled');
  expect(await sql('SELECT 1 FROM oidc_identities WHERE user_id = $1', [off.userId])).toEqual([]);
});

it('the test of a connection refuses a document with an address that is no https address, as the sign-in does', async () => {
  const odd = await OpenIdProvider.start();
  odd.document = { authorization_endpoint: 'javascript:alert(1)' };
  const { key } = await made({ issuer: odd.url });
  const { json } = await app.api('POST', `${PATH}/${key}/test`);
  const { status } = await browser().press(key);
  await odd.down();
  expect(json).toMatchObject({ ok: false, checks: [{ check: 'metadata', state: 'failed' }] });
  expect(json.checks[0].detail).toContain('authorization_endpoint');
  expect(status).toBe(503);
  const line = app
    .log()
    .split('\n')
    .find((each) => each.includes('a sign-in failed') && each.includes(key));
  expect(line).toContain('authorization_endpoint is no web address');
});

it('the test of a connection names a wrong client secret, also where the provider challenges the client', async () => {
  const strict = await OpenIdProvider.start();
  strict.challenges = true;
  const { key } = await made({ issuer: strict.url, client_secret: 'wrong' });
  expect(await browser().signIn(key)).toBe('/sign-in?problem=sso_refused');
  await strict.down();
  const line = app
    .log()
    .split('\n')
    .find((each) => each.includes('a sign-in failed') && each.includes(key));
  expect(line).toContain('provider: invalid_client');
});

it('an administrator mends the address of an account that no other organization has, and is not told which do', async () => {
  const members = '/api/v1/organizations/default/members';
  const one = await person(app);
  const email = `mended-${++serial}@uni.example`;
  const change = (who: string, to: string) => app.api('PATCH', `${members}/${who}`, { email: to });
  expect((await change(one.userId, email.toUpperCase())).json).toMatchObject({ user_id: one.userId, email });
  const refusal = async (who: string, to: string): Promise<unknown> => {
    const { status, json } = await change(who, to);
    return [status, json.detail, json.errors];
  };
  const taken = [{ path: 'email', message: 'is taken', code: 'value.taken' }];
  expect(await refusal(one.userId, (await person(app)).email)).toEqual([409, 'The address is taken', taken]);
  const unmoved = await refusal('admin@localhost', 'other@uni.example');
  const fixed = [{ path: 'email', message: 'cannot be changed here', code: 'member.address_fixed' }];
  expect(unmoved).toEqual([409, 'The address cannot be changed here', fixed]);
  expect((await change(one.userId, 'no address')).status).toBe(400);
  const { slug, owner } = await foreign();
  // The refusal does not tell that the address, or the account, belongs to another organization.
  expect(await refusal(one.userId, owner.email)).toEqual(unmoved);
  await app.api('POST', `/api/v1/organizations/${slug}/members`, { email, name: 'Theirs too', role: 'member' });
  expect(await refusal(one.userId, 'elsewhere@uni.example')).toEqual(unmoved);
});

it('ids of members do not tell since when an address is known', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await person(app)).userId));
  expect(ids.some((id) => Date.now() - uuidTime(id) > 86_400_000)).toBe(true);
});

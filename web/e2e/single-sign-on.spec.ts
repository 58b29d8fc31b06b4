// Owners set sign-in services, test them against a provider on loopback, and delete them.
import { createRequire } from 'node:module';
import type * as OpenIdProviders from '../../test/support/openid-provider';
import { type Api, apiOf, check, expect, type Page, sessionOf, shot, test as base } from './support/fixtures';

// The service's tests are CommonJS, whose names an import does not find.
const { OpenIdProvider } = createRequire(import.meta.url)(
  '../../test/support/openid-provider.ts',
) as typeof OpenIdProviders;
type OpenIdProvider = OpenIdProviders.OpenIdProvider;

const ISSUERS = '/api/v1/organizations/default/sign-on/issuers';
const LIST = '/organization/sign-on';

const test = base.extend<{ provider: OpenIdProvider }>({
  // The trial visits the provider, which is another origin.
  guarded: async ({}, use) => use(),
  provider: async ({}, use) => {
    const provider = await OpenIdProvider.start();
    await use(provider);
    await provider.down();
  },
});

const newKey = (): string => `campus-${Date.now().toString(36)}`;
const saved = (page: Page) => page.locator('.success-message').last();
const made = (api: Api, { url, clientId, clientSecret }: OpenIdProvider, key: string, more: object = {}) =>
  api.post(ISSUERS, {
    key,
    name: 'Example University',
    issuer: url,
    client_id: clientId,
    client_secret: clientSecret,
    listed: false,
    ...more,
  });

test('an owner adds a sign-in service, whose secret is never shown again', async ({ page, api, provider }) => {
  const key = newKey();
  await page.goto('/organization');
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await page.getByTestId('new-issuer').click();
  await page.getByTestId('issuer-key').fill(key);
  await page.getByTestId('issuer-name').fill('Example University');
  await page.getByTestId('issuer-url').fill(provider.url);
  await page.getByTestId('client-id').fill(provider.clientId);
  await page.getByLabel('Client secret').fill(provider.clientSecret);
  const picture = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a', 'hex') };
  await page.getByLabel('Logo').setInputFiles({ ...picture, mimeType: 'image/svg+xml', name: 'logo.svg' });
  await expect(page.getByText('Choose a PNG')).toBeVisible();
  await page.getByLabel('Logo').setInputFiles(picture);
  await expect(page.getByRole('button', { name: 'Remove the logo' })).toBeVisible();

  await page.getByTestId('accounts').selectOption('invitation');
  await expect(page.getByText('Invitations need the link')).toBeVisible();
  await page.getByTestId('link-email').check();
  await expect(page.getByTestId('link-warning')).toBeVisible();
  await page.getByLabel('Domains whose addresses').fill('uni.example');
  await page.getByTestId('role_claim').fill('roles');
  const roles = page.getByTestId('roles');
  for (const [index, value, role] of [
    [1, 'staff', 'teacher'],
    [2, 'staff', 'admin'],
  ] as const) {
    await roles.getByRole('button', { name: 'Add a row' }).click();
    await expect(roles.getByLabel(`Value ${index}`)).toBeFocused();
    await page.keyboard.type(value);
    await roles.getByLabel(`Role ${index}`).selectOption(role);
  }
  await expect(roles).toContainText('Use each value only once: staff');
  await expect(page.getByTestId('save-btn')).toBeDisabled();
  await roles.getByLabel('Value 2').fill('it');
  await page.getByTestId('default-role').selectOption('');
  await check(page);
  await page.getByTestId('save-btn').click();

  await expect(page).toHaveURL(new RegExp(`/sign-on/issuers/${key}$`));
  await expect(page.getByTestId('redirect_uri')).toHaveValue(new RegExp(`/auth/oidc/${key}/callback$`));
  await expect(page.getByTestId('backchannel_logout_uri')).toHaveValue(/backchannel-logout$/);
  await expect(page.getByLabel('Client secret')).toHaveValue('');
  await expect(page.getByText('Key saved (hidden)')).toBeVisible();
  expect(await page.content()).not.toContain(provider.clientSecret);
  expect(await api.get(`${ISSUERS}/${key}`)).toMatchObject({
    name: 'Example University',
    issuer: provider.url,
    client_secret_configured: true,
    accounts: 'invitation',
    link_verified_email: true,
    trusted_domains: ['uni.example'],
    role_claim: 'roles',
    roles: { staff: 'teacher', it: 'admin' },
    default_role: null,
  });
  await check(page);
  await shot(page, 'sign-on-issuer-set');
  await page.goto(LIST);
  await expect(page.getByTestId('issuer-row').filter({ has: page.locator(`a[href$="${key}"]`) })).toBeVisible();
  await check(page);
});

test('the connection is tested, a trial comes back with its outcome, and claims are shown', async ({
  page,
  api,
  provider,
  browser,
  service,
}) => {
  const key = newKey();
  await made(api, provider, key, { role_claim: 'roles', roles: { staff: 'teacher' }, groups_claim: 'groups' });
  await page.goto(`${LIST}/issuers/${key}`);
  await expect(page.getByTestId('people')).toContainText('Nobody has signed in');
  await page.getByTestId('test-btn').click();
  await expect(page.locator('[data-check=metadata]')).toHaveAttribute('data-state', 'passed');
  await expect(page.getByTestId('connection')).toContainText('You have not signed in with this service yet.');
  await check(page);

  provider.person = { sub: 'ada', email: `ada@${key}.example`, email_verified: true, roles: ['staff'], groups: ['a'] };
  await page.getByTestId('trial-btn').click();
  const trial = page.getByTestId('trial');
  await expect(trial).toContainText('This person could sign in.');
  await expect(trial).toContainText('Teacher');
  await expect(trial).toContainText(`ada@${key}.example (verified)`);
  await expect(page).toHaveURL(new RegExp(`/sign-on/issuers/${key}\\?org=default$`));
  await check(page);
  await shot(page, 'sign-on-trial');

  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const ada = await context.newPage();
  await ada.goto(`${service.url}/auth/oidc/${key}/login`);
  await expect(ada).toHaveURL(new RegExp(`/sign-in\\?issuer=${key}$`));
  await expect(ada.locator('.box')).toContainText('for an account of Default organization');
  await ada.getByTestId('sso-button').click();
  await expect(ada).toHaveURL(/\/assistants/);
  await context.close();
  await page.reload();
  await expect(trial).toHaveCount(0);
  const person = page.getByTestId('person');
  await expect(person).toContainText(`ada@${key}.example`);
  await person.getByText('Claims').click();
  await expect(person.locator('pre')).toContainText('"staff"');

  await provider.down();
  await page.getByTestId('test-btn').click();
  await expect(page.locator('[data-check=metadata]')).toHaveAttribute('data-state', 'failed');
  await provider.up();
});

test('a trial that fails comes back to the administrator with the reason', async ({ page, api, provider }) => {
  const key = newKey();
  await made(api, provider, key, { client_secret: 'wrong' });
  await page.goto(`${LIST}/issuers/${key}`);
  await page.getByTestId('trial-btn').click();
  await expect(page.getByTestId('trial')).toContainText('the answer of the provider was refused');
  await expect(page.getByTestId('trial')).toContainText('invalid_client');
  await expect(page).toHaveURL(new RegExp(`/sign-on/issuers/${key}\\?org=default$`));
  await check(page);
});

test('two people change the same service: both sides are shown, and one of them decides', async ({
  page,
  api,
  provider,
}) => {
  const key = newKey();
  await made(api, provider, key);
  const other = await page.context().newPage();
  for (const tab of [page, other]) await tab.goto(`${LIST}/issuers/${key}`);
  await other.getByTestId('issuer-name').fill('Named in the other tab');
  await other.getByTestId('save-btn').click();
  await expect(saved(other)).toBeVisible();

  // Another member: nothing is lost, nobody is asked.
  await page.getByTestId('groups_claim').fill('groups');
  await page.getByTestId('save-btn').click();
  await expect(saved(page)).toBeVisible();
  await expect(page.getByTestId('issuer-name')).toHaveValue('Named in the other tab');

  await other.getByTestId('groups_claim').fill('teams');
  await other.keyboard.press('Control+s');
  const field = other.locator('[data-testid=conflict-field][data-path=groups_claim]');
  await expect(field).toContainText('groups');
  await check(other);
  await other.getByTestId('take-theirs-btn').click();
  await expect(other.getByTestId('groups_claim')).toHaveValue('groups');

  await page.getByTestId('issuer-name').fill('Again');
  await page.getByTestId('save-btn').click();
  await expect.poll(async () => (await api.get(`${ISSUERS}/${key}`)).name).toBe('Again');
  await other.getByTestId('issuer-name').fill('Overwritten');
  await other.getByTestId('save-btn').click();
  await other.getByTestId('overwrite-btn').click();
  await expect.poll(async () => (await api.get(`${ISSUERS}/${key}`)).name).toBe('Overwritten');
});

test('a service is deleted after a question, and what is unsaved is asked about', async ({ page, api, provider }) => {
  const key = newKey();
  await made(api, provider, key);
  await page.goto(`${LIST}/issuers/${key}`);
  await page.getByTestId('issuer-name').fill('Never saved');
  await expect(page.getByTestId('test-btn')).toBeDisabled();
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByTestId('breadcrumbs').getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`${key}$`));
  await page.getByTestId('remove-issuer').click();
  await check(page);
  await page.getByTestId('confirm-btn').click();
  await expect(page).toHaveURL(/\/sign-on$/);
  await expect(page.locator(`a[href$="${key}"]`)).toHaveCount(0);
  expect((await api.get(ISSUERS)).items.map((issuer: { key: string }) => issuer.key)).not.toContain(key);
});

test('an administrator who is no owner reads and tests, and changes nothing', async ({
  page,
  api,
  provider,
  service,
}) => {
  const key = newKey();
  await made(api, provider, key);
  const email = `admin@${key}.example`;
  await api.post('/api/v1/organizations/default/members', { email, name: 'An administrator', role: 'admin' });
  const scopes = ['read', 'write', 'admin'];
  const { key: secret } = await api.post('/api/v1/api-keys', { name: 'Admin', scopes, owner: email });
  const cookie = await sessionOf(service.url, secret);
  await page.context().clearCookies();
  await page.context().addCookies([{ ...cookie, url: service.url, httpOnly: true, sameSite: 'Lax' }]);
  await page.goto(LIST);
  await expect(page.getByTestId('issuer-row').first()).toBeVisible();
  await expect(page.getByTestId('new-issuer')).toHaveCount(0);
  await page.locator(`a[href$="${key}"]`).click();
  await expect(page.getByTestId('read-only')).toBeVisible();
  await expect(page.getByTestId('issuer-name')).toBeDisabled();
  await expect(page.getByTestId('save-btn')).toHaveCount(0);
  await expect(page.getByTestId('remove-issuer')).toHaveCount(0);
  await page.getByTestId('test-btn').click();
  await expect(page.locator('[data-check=keys]')).toHaveAttribute('data-state', 'passed');
  await check(page);
  await expect(apiOf({ url: service.url, key: secret }).patch(`${ISSUERS}/${key}`, { name: 'x' })).rejects.toThrow();
});

test('services that others set for all organizations are shown to administrators', async ({ page, api, provider }) => {
  const key = newKey();
  await api.post('/api/v1/organizations', { slug: key, name: `Organization ${key}` });
  await api.post(`/api/v1/organizations/${key}/sign-on/issuers`, {
    key,
    name: `For all, ${key}`,
    issuer: provider.url,
    client_id: provider.clientId,
    for_all: true,
  });
  await page.goto(LIST);
  await expect(page.getByTestId('set-elsewhere')).toContainText(`For all, ${key}`);
  await check(page);
  await shot(page, 'sign-on-set-elsewhere');
});

test('local sign-in is switched off and on', async ({ page, api }) => {
  const allowed = async (): Promise<boolean> => (await api.get('/api/v1/organizations/default')).features.local_sign_in;
  await page.goto(LIST);
  const card = page.getByTestId('local-sign-in');
  await card.getByRole('checkbox').uncheck();
  await expect(card).toContainText('Test single sign-on before you save');
  await check(page);
  await card.getByRole('button', { name: 'Save' }).click();
  await expect.poll(allowed).toBe(false);
  await card.getByRole('checkbox').check();
  await card.getByRole('button', { name: 'Save' }).click();
  await expect.poll(allowed).toBe(true);
});

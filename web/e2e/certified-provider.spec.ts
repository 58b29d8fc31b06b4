// People sign in and out at an OpenID Certified provider, through its own pages.
import { createRequire } from 'node:module';
import type * as Providers from '../../test/support/certified-provider';
import { type Api, check, expect, type Page, shot, test as base } from './support/fixtures';

// The service's tests are CommonJS, whose names an import does not find.
const { CertifiedProvider } = createRequire(import.meta.url)(
  '../../test/support/certified-provider.ts',
) as typeof Providers;
type CertifiedProvider = Providers.CertifiedProvider;

const test = base.extend<{ provider: CertifiedProvider; key: string; person: Page }>({
  // People visit the provider, which is another origin.
  guarded: async ({}, use) => use(),
  provider: async ({}, use) => {
    const provider = await CertifiedProvider.start();
    await provider.person('ada', { email: 'ada@uni.example', email_verified: true, name: 'Ada Lovelace' });
    await use(provider);
    await provider.stop();
  },
  key: async ({ api, provider, service }, use) => {
    const key = `uni-${Date.now().toString(36)}`;
    await registered(api, provider, service.url, key);
    await use(key);
  },
  /** Signed out, in a browser of their own. */
  person: async ({ browser, service }, use) => {
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: service.url });
    const page = await context.newPage();
    // The provider's pages want a font of another site.
    await page.route('https://fonts.googleapis.com/**', (route) => route.abort());
    await use(page);
    await context.close();
  },
});

async function registered(api: Api, provider: CertifiedProvider, url: string, key: string): Promise<void> {
  const client = await provider.register({
    redirect_uris: [`${url}/auth/oidc/${key}/callback`],
    post_logout_redirect_uris: [`${url}/sign-in`],
  });
  await api.post('/api/v1/organizations', { slug: key, name: `Example University ${key}` });
  await api.post(`/api/v1/organizations/${key}/sign-on/issuers`, {
    key,
    name: 'Example University',
    issuer: provider.url,
    client_id: client.client_id,
    client_secret: client.client_secret,
    sign_in_domains: [`${key}.example`],
  });
}

async function signIn(person: Page): Promise<void> {
  await person.getByTestId('sso-button').click();
  await person.getByPlaceholder('Enter any login').fill('ada');
  await person.getByPlaceholder('and password').fill('any');
  await person.getByRole('button', { name: 'Sign-in' }).click();
}

test('the page of an organization leads to its provider and back, and out of both', async ({
  person,
  key,
  service,
}) => {
  await person.goto(`/sign-in?organization=${key}&to=%2Frubrics`);
  await expect(person.locator('.box')).toContainText(`for an account of Example University ${key}`);
  await check(person);
  await shot(person, 'sign-in-organization');
  await signIn(person);
  await expect(person).toHaveURL(`${service.url}/rubrics`);
  await person.getByTestId('account-menu').click();
  await expect(person.locator('body')).toContainText('ada@uni.example');
  await person.getByTestId('sign-out').click();
  await person.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(person).toHaveURL(`${service.url}/sign-in`);
  await person.goto(`/sign-in?organization=${key}`);
  await person.getByTestId('sso-button').click();
  await expect(person.getByPlaceholder('Enter any login')).toBeVisible();
});

test('an e-mail address leads to the provider of its domain, and no other does', async ({ person, key, service }) => {
  await person.goto('/sign-in');
  await expect(person.getByTestId('sso-button')).toHaveCount(0);
  await person.getByTestId('find-institution').locator('summary').click();
  await person.getByTestId('sso-email').fill('ada@elsewhere.example');
  await person.getByTestId('sso-search').click();
  await expect(person.getByText('No institution is set up for this address')).toBeVisible();
  await check(person);
  await shot(person, 'sign-in-by-address');
  const asked = person.waitForRequest(/email_domain=/);
  await person.getByTestId('sso-email').fill(`ada@${key}.example`);
  await person.getByTestId('sso-search').click();
  expect((await asked).url()).toBe(`${service.url}/api/v1/session?email_domain=${key}.example`);
  await signIn(person);
  await expect(person).toHaveURL(/\/assistants|\/$/);
});

test('people who are signed in go on while the provider is down, and others are told so', async ({
  person,
  key,
  provider,
  browser,
  service,
}) => {
  await person.goto(`/sign-in?organization=${key}&to=%2Frubrics`);
  await signIn(person);
  await expect(person).toHaveURL(`${service.url}/rubrics`);
  await provider.down();
  await person.goto('/files');
  await expect(person.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(person).toHaveURL(`${service.url}/files`);

  const context = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: service.url });
  const late = await context.newPage();
  await late.goto(`/sign-in?organization=${key}`);
  // The service reuses the provider's metadata for some seconds.
  await expect(async () => {
    await late.goto(`/sign-in?organization=${key}`);
    await late.getByTestId('sso-button').click();
    await expect(late.getByTestId('sign-in-down')).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(late.getByTestId('sign-in-down')).toContainText('People who are signed in can continue');
  await check(late);
  await shot(late, 'sign-in-down');
  await context.close();
});

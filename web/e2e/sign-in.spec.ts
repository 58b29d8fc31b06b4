import { expect, test } from '@playwright/test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiOf, check, shot, signIn, watch } from './support/fixtures';
import { type Service, startService } from './support/service';

let service: Service;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  service = await startService({ fresh: true });
});
test.afterAll(() => service.stop());

test("a fresh start's link signs in once, and not again", async ({ page, browser }) => {
  const faults = watch(page, service.url);
  const link = /http:\/\/\S+\/sign-in\/\S+/.exec(service.output())?.[0];
  expect(link, service.output()).toBeDefined();
  const address = new URL(link ?? '');
  await page.goto(`${service.url}${address.pathname}`);
  await expect(page).toHaveURL(/\/assistants|\/$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
    { name: 'bw', httpOnly: true, sameSite: 'Lax' },
  ]);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('bw_');

  const other = await browser.newContext();
  const second = await other.newPage();
  await second.goto(`${service.url}${address.pathname}`);
  await expect(second).toHaveURL(/\/sign-in/);
  expect(await other.cookies()).toEqual([]);
  await other.close();
  expect(faults).toEqual([]);
});

test('signing in with a key, where one wanted to go, and signing out', async ({ page, context }) => {
  await signInWithNewKey(page);
  await expect(page).toHaveURL(/\/rubrics/);
  await page.getByTestId('account-menu').click();
  await page.getByTestId('sign-out').click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto(`${service.url}/assistants`);
  await expect(page).toHaveURL(/\/sign-in/);
  expect(await context.cookies()).toEqual([]);

  async function signInWithNewKey(tab: typeof page): Promise<void> {
    await tab.goto(`${service.url}/rubrics`);
    await expect(tab).toHaveURL(/\/sign-in/);
    await check(tab);
    await shot(tab, 'sign-in');
    await tab.getByTestId('api-key-input').fill('bw_wrong');
    await tab.getByTestId('sign-in-btn').click();
    await expect(tab.getByTestId('problem')).toBeVisible();
    await tab.getByTestId('api-key-input').fill(await newKey());
    await tab.getByTestId('sign-in-btn').click();
  }
});

test('a way in that the service offers beside the key has a button, and says when it failed', async ({ page }) => {
  const providers = [{ name: 'Example University', organization: null, url: '/sso/example' }];
  await page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET' ? route.fulfill({ json: { signed_in: false, providers } }) : route.continue(),
  );
  await page.route('**/sso/example?*', (route) => route.fulfill({ json: { url: '/sign-in?problem=sso' } }));
  await page.goto(`${service.url}/sign-in`);
  const button = page.getByRole('button', { name: 'Sign in with Example University' });
  await expect(page.getByTestId('api-key-input')).toBeVisible();
  await check(page);
  const asked = page.waitForRequest('**/sso/example?*');
  await button.click();
  expect((await asked).method()).toBe('POST');
  await expect(page.getByTestId('sign-in-notice')).toBeVisible();
  await expect(page.getByTestId('sso-button')).toBeVisible();
});

test('a password that an import brought lets in once, and then asks how to come in next time', async ({ page }) => {
  const providers = [{ name: 'Example University', organization: null, url: '/sso/example', logo: null }];
  const key = await newKey();
  await page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { signed_in: false, providers: [], password: true, sign_out_url: null } })
      : route.continue(),
  );
  await page.route('**/api/v1/session/password', async (route) => {
    const { password } = route.request().postDataJSON() as { password: string };
    const status = password === 'right' ? 200 : 401;
    // The real door of keys gives the cookie.
    const entered = await route.fetch({
      url: `${service.url}/api/v1/session`,
      postData: JSON.stringify({ api_key: status === 200 ? key : 'bw_wrong' }),
    });
    const body = status === 200 ? { me: await entered.json(), providers } : await entered.json();
    await route.fulfill({ response: entered, json: body });
  });
  await page.goto(`${service.url}/rubrics`);
  await page.getByTestId('password-email').fill('grace@old.example');
  await page.getByTestId('password-input').fill('wrong');
  await page.getByTestId('password-btn').click();
  await expect(page.getByTestId('password-sign-in')).toContainText('already used or has expired');
  await check(page);
  await shot(page, 'sign-in-password');
  await page.getByTestId('password-input').fill('right');
  await page.getByTestId('password-btn').click();
  await expect(page.getByRole('button', { name: 'Connect your account of Example University' })).toBeVisible();
  await check(page);
  await shot(page, 'sign-in-next');
  await page.getByTestId('next-later').click();
  await expect(page).toHaveURL(/\/rubrics/);
});

test('somebody without a key asks for a link by e-mail', async ({ page }) => {
  await page.route('**/api/v1/session', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { signed_in: false, providers: [], password: false, mail: true, sign_out_url: null } })
      : route.continue(),
  );
  await page.route('**/api/v1/session/mail', (route) => route.fulfill({ status: 202 }));
  await page.goto(`${service.url}/sign-in`);
  await page.getByTestId('mail-btn').click();
  await expect(page.getByText('Enter your e-mail address.')).toBeVisible();
  await check(page);
  await shot(page, 'sign-in-mail');
  await page.getByTestId('mail-address').fill(' ada@example.edu ');
  const asked = page.waitForRequest('**/api/v1/session/mail');
  await page.getByTestId('mail-btn').click();
  expect((await asked).postDataJSON()).toEqual({ email: 'ada@example.edu', language: 'en' });
  await expect(page.getByTestId('mail-sent')).toContainText('ada@example.edu');
});

test('several ways in stand below each other, however long their names are', async ({ page }) => {
  const long = 'Identity federation of the universities and research institutes of the whole region';
  const providers = [
    { name: long, organization: 'x'.repeat(100), url: '/sso/federation' },
    { name: 'x'.repeat(120), organization: null, url: '/sso/unbroken' },
  ];
  await page.route('**/api/v1/session', (route) => route.fulfill({ json: { signed_in: false, providers } }));
  await page.goto(`${service.url}/sign-in`);
  const buttons = page.getByTestId('sso-button');
  await expect(buttons).toHaveCount(2);
  await expect(page.getByRole('button', { name: `Sign in with ${long}` })).toBeVisible();
  await check(page);
  await shot(page, 'sign-in-providers');
  await page.setViewportSize({ width: 320, height: 700 });
  const [first, second] = await Promise.all([buttons.first().boundingBox(), buttons.last().boundingBox()]);
  expect((first?.x ?? 0) + (first?.width ?? 999)).toBeLessThanOrEqual(320);
  expect(second?.y ?? 0).toBeGreaterThanOrEqual((first?.y ?? 0) + (first?.height ?? 0));
});

test('forms of another site do nothing with a session', async ({ page, context }) => {
  const key = await newKey();
  await signIn(context, service.url, key);
  const forms = [
    ['/api/v1/assistants', 'text/plain'],
    ['/api/v1/assistants', 'application/x-www-form-urlencoded'],
    ['/api/v1/files', 'multipart/form-data'],
    ['/api/v1/api-keys', 'text/plain'],
    ['/v1/chat/completions', 'text/plain'],
  ];
  const foreign = createServer((request, response) => {
    const [path, type] = forms[Number(new URL(request.url ?? '', 'http://x').searchParams.get('n'))] ?? [];
    response.setHeader('content-type', 'text/html');
    response.end(
      `<form method="post" action="${service.url}${path}" enctype="${type}"><input name='{"name":"evil","x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
    );
  });
  await new Promise<void>((resolve) => foreign.listen(0, 'localhost', resolve));
  try {
    for (const n of forms.keys()) {
      const answered = page.waitForResponse((response) => response.url().startsWith(service.url));
      // The form sends itself off before the page that holds it is quite there.
      const address = `http://localhost:${(foreign.address() as AddressInfo).port}/?n=${n}`;
      await page.goto(address, { waitUntil: 'commit' }).catch(() => undefined);
      expect([401, 403, 415], `${forms[n]}`).toContain((await answered).status());
      await page.waitForLoadState();
    }
  } finally {
    foreign.close();
  }
  const { total } = await apiOf({ url: service.url, key }).get('/api/v1/assistants');
  expect(total).toBe(0);
});

/** Another key of the administrator. */
async function newKey(): Promise<string> {
  const made = await fetch(`${service.url}/api/v1/api-keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}` },
    body: JSON.stringify({ name: 'Browser', scopes: ['chat', 'read', 'write', 'admin'] }),
  });
  const answer = (await made.json()) as { key: string };
  expect(made.status, JSON.stringify(answer)).toBe(201);
  return answer.key;
}

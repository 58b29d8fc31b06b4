import { type Api, check, expect, sessionOf, shot, signIn, test } from './support/fixtures';

/** A new member of the organization, with a key of their own. */
async function newMember(api: Api, name: string): Promise<{ email: string; key: string }> {
  const email = `${name.toLowerCase()}@example.edu`;
  await api.post('/api/v1/organizations/default/members', { email, name, role: 'teacher' });
  const made = await api.post('/api/v1/api-keys', { name: `Key of ${name}`, owner: email, scopes: ['read', 'write'] });
  return { email, key: made.key };
}

const statusOf = async (url: string, { name, value }: { name: string; value: string }): Promise<number> =>
  (await fetch(`${url}/api/v1/me`, { headers: { cookie: `${name}=${value}` } })).status;

test('one sees where one is signed in, and signs forgotten browsers out', async ({ browser, api, service }) => {
  const { key } = await newMember(api, 'Grace');
  const forgotten = await Promise.all([1, 2, 3].map(() => sessionOf(service.url, key)));
  const context = await browser.newContext({ baseURL: service.url, storageState: { cookies: [], origins: [] } });
  await signIn(context, service.url, key);
  const page = await context.newPage();
  await page.goto('/assistants');
  await page.getByTestId('account-menu').click();
  await page.getByRole('menuitem', { name: 'Active sessions' }).click();
  await expect(page).toHaveURL(/\/account\/sessions$/);
  const rows = page.getByTestId('session-row');
  await expect(rows).toHaveCount(4);
  const own = rows.filter({ hasText: 'This browser' });
  await expect(own).toContainText('With the key “Key of Grace”');
  await expect(own.getByTestId('end-session')).toHaveCount(0);
  await check(page);
  await shot(page, 'sessions');

  await page.getByTestId('end-session').first().click();
  await expect(page.getByRole('dialog')).toContainText('Sign that browser out?');
  await check(page);
  await page.getByTestId('confirm-btn').click();
  await expect(rows).toHaveCount(3);
  const left = async (): Promise<number> =>
    (await Promise.all(forgotten.map((cookie) => statusOf(service.url, cookie)))).filter((status) => status === 200)
      .length;
  expect(await left()).toBe(2);

  await page.getByTestId('end-others').click();
  await page.getByTestId('confirm-btn').click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByTestId('end-others')).toHaveCount(0);
  expect(await left()).toBe(0);
  await page.reload();
  await expect(own).toBeVisible();
  await context.close();
});

test('sessions that cannot be listed can be asked for again', async ({ page }) => {
  await page.route('**/api/v1/sessions', (route) => route.abort());
  await page.goto('/account/sessions');
  await expect(page.getByTestId('problem')).toBeVisible();
  await check(page);
  await page.unroute('**/api/v1/sessions');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId('session-row').filter({ hasText: 'This browser' })).toBeVisible();
  await expect(page.getByTestId('problem')).toHaveCount(0);
});

test('an administrator signs a member out everywhere, whose keys stay', async ({ page, api, service }) => {
  const { email, key } = await newMember(api, 'Katherine');
  const cookie = await sessionOf(service.url, key);
  await page.goto('/organization/members');
  await page.getByTestId('member-row').filter({ hasText: email }).getByTestId('member-menu').click();
  await page.getByTestId('member-sign-out').click();
  await expect(page.getByRole('dialog')).toContainText('Sign Katherine out everywhere?');
  await page.getByTestId('confirm-btn').click();
  await expect(page.locator('.success-message')).toContainText('Katherine is signed out everywhere.');
  expect(await statusOf(service.url, cookie)).toBe(401);
  expect(await statusOf(service.url, await sessionOf(service.url, key))).toBe(200);
  const me = page.getByTestId('member-row').filter({ has: page.getByText('You', { exact: true }) });
  await me.getByTestId('member-menu').click();
  await expect(page.getByTestId('member-edit')).toBeVisible();
  await expect(page.getByTestId('member-sign-out')).toHaveCount(0);
});

// Administrators set learning platforms, give them this service's addresses, and delete them.
import { check, expect, type Page, test } from './support/fixtures';
import { holdEverywhere } from './support/pages';
import { somePlatform } from './support/something';

const PLATFORMS = '/api/v1/organizations/default/lti/platforms';
const LIST = '/organization/platforms';

const saved = (page: Page) => page.locator('.success-message').last();

test('an administrator adds a Moodle whose pages name the values, and gets addresses for it', async ({
  page,
  api,
  service,
}) => {
  const clientId = `moodle-${Date.now().toString(36)}`;
  await page.goto('/organization');
  await page.getByRole('link', { name: 'Learning platforms' }).click();
  await page.getByTestId('new-platform').click();
  await expect(page.getByTestId('login_url')).toHaveValue(`${service.url}/lti/login`);
  await expect(page.getByTestId('redirect_uris')).toHaveValue(
    `${service.url}/lti/launch\n${service.url}/lti/deep-link`,
  );

  await page.getByTestId('vendor').selectOption('moodle');
  await expect(page.getByTestId('where')).toContainText('Manage tools');
  await expect(page.getByText('In Moodle: “Platform ID”.')).toBeVisible();
  await expect(page.getByText('In Moodle: “Initiate login URL”.')).toBeVisible();
  await page.getByTestId('issuer').fill('http://127.0.0.1:9/');
  await page.getByTestId('client_id').fill(clientId);
  await page.getByTestId('deployment_ids').fill('1\n2');
  await page.getByTestId('fill').click();
  await expect(page.getByTestId('jwks_uri')).toHaveValue('http://127.0.0.1:9/mod/lti/certs.php');
  await expect(page.getByTestId('fill')).toBeHidden();
  await page.getByTestId('instructor-role').selectOption('teacher');
  await page.getByTestId('match').selectOption('claim');
  await expect(page.getByText('Caution: whoever sets this value')).toBeVisible();
  await page.getByTestId('claim').fill('custom.person_id');
  await check(page);
  await page.getByTestId('save-btn').click();

  await expect(page).toHaveURL(/\/platforms\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1) ?? '';
  expect(await api.get(`${PLATFORMS}/${id}`)).toMatchObject({
    name: '127.0.0.1:9',
    client_id: clientId,
    deployment_ids: ['1', '2'],
    instructor_role: 'teacher',
    match: { by: 'claim', claim: 'custom.person_id' },
    active: true,
  });
  await expect(page.getByTestId('vendor')).toHaveValue('moodle');
  await check(page);
  await page.goto(LIST);
  const row = page.getByTestId('platform-row').filter({ has: page.locator(`a[href$="${id}"]`) });
  await expect(row).toContainText('Accepts launches');
  await check(page);
});

test('a known client and a wrong address are refused at their fields, and nothing typed is lost', async ({
  page,
  api,
}) => {
  const known = await api.get(`${PLATFORMS}/${await somePlatform(api)}`);
  await page.goto(`${LIST}/create`);
  for (const name of ['issuer', 'client_id', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    await page.getByTestId(name).fill(known[name]);
  }
  await page.getByTestId('deployment_ids').fill('1');
  await page.getByTestId('save-btn').click();
  await expect(page.getByText('is set up already').first()).toBeVisible();
  await page.getByTestId('client_id').fill(`${known.client_id}-2`);
  await page.getByTestId('jwks_uri').fill('http://user:secret@127.0.0.1:9/keys');
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('jwks_uri')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByTestId('client_id')).toHaveValue(`${known.client_id}-2`);
  await check(page);
});

test('a platform is switched off, meets the change of a colleague, and is deleted after a question', async ({
  page,
  api,
}) => {
  const id = await somePlatform(api, { name: 'Old campus' });
  await page.goto(`${LIST}/${id}`);
  await page.getByTestId('active').uncheck();
  await page.getByTestId('save-btn').click();
  await expect(saved(page)).toBeVisible();
  expect((await api.get(`${PLATFORMS}/${id}`)).active).toBe(false);

  const { version } = await api.get(`${PLATFORMS}/${id}`);
  await page.getByTestId('platform-name').fill('Mine');
  await page.evaluate(
    async ([address, match]) =>
      fetch(address, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': match },
        body: JSON.stringify({ name: 'Theirs' }),
      }),
    [`${PLATFORMS}/${id}`, `"${version}"`] as const,
  );
  await page.getByTestId('save-btn').click();
  await expect(page.locator('dialog[open]')).toContainText('Theirs');
  await check(page);
  await page.locator('dialog[open]').getByTestId('overwrite-btn').click();
  await expect.poll(async () => (await api.get(`${PLATFORMS}/${id}`)).name).toBe('Mine');

  await page.getByTestId('remove-platform').click();
  await expect(page.locator('dialog[open]')).toContainText('Its links in courses stop working');
  await check(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL(/\/platforms$/);
  await expect(page.locator(`a[href$="${id}"]`)).toHaveCount(0);
});

const BRIDGE = '/api/v1/organizations/default/lti/bridge';

test('LTI 1.1 is accepted until a day, for the keys of the course platform', async ({ page, api }) => {
  const id = await somePlatform(api, { name: 'Campus' });
  const name = `lamb-${Date.now().toString(36)}`;
  await page.goto(LIST);
  await expect(page.getByTestId('bridge-card').getByTestId('bridge-state')).toHaveText('Off');
  await page.getByRole('link', { name: 'LTI 1.1' }).click();
  await expect(page.getByTestId('address-assistant')).toHaveValue(/\/lamb\/v1\/lti_users\/lti$/);

  await page.getByTestId('bridge-enabled').check();
  await page.getByTestId('bridge-until').fill('2099-12-31');
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('bridge-until')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('paragraph').filter({ hasText: /^At most 400 days ahead\.$/ })).toBeVisible();
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  await page.getByTestId('bridge-until').fill(until);
  await page.getByLabel('Secret of links to a single assistant').fill('secret of LAMB');
  await page.getByTestId('continued-by').getByLabel('Campus').check();
  await expect(page.getByText('Caution: a chosen platform decides')).toBeVisible();
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('bridge-state')).toContainText('On until');
  expect(await api.get(BRIDGE)).toMatchObject({
    enabled: true,
    until,
    assistant_secret_configured: true,
    continued_by: [id],
  });
  await check(page);

  await page.getByTestId('new-bridge-key').click();
  const dialog = page.getByTestId('bridge-key-dialog');
  await dialog.getByTestId('bridge-key-name').fill(name);
  await dialog.getByTestId('bridge-key-secret').fill('shared');
  await check(page);
  await dialog.getByTestId('save-bridge-key').click();
  const row = page.getByTestId('bridge-key-row').filter({ hasText: name });
  await expect(row).toContainText('never');
  await page.getByTestId('new-bridge-key').click();
  await dialog.getByTestId('bridge-key-name').fill(name);
  await dialog.getByTestId('bridge-key-secret').fill('shared');
  await dialog.getByTestId('save-bridge-key').click();
  await expect(dialog.getByTestId('bridge-key-name')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByTestId('bridge-key-kind').selectOption('assistant');
  await dialog.getByTestId('bridge-key-assistant').fill('999999');
  await dialog.getByTestId('save-bridge-key').click();
  await expect(dialog.getByText('no assistant with this number')).toBeVisible();
  await page.keyboard.press('Escape');

  await row.getByTestId('bridge-key-menu').click();
  await page.getByTestId('bridge-key-remove').click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Delete' }).click();
  await expect(row).toHaveCount(0);
  await page.getByTestId('bridge-enabled').uncheck();
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('bridge-state')).toHaveText('Off');
});

test('the pages of learning platforms hold in every language', async ({ page, api }) => {
  test.setTimeout(90_000);
  const id = await somePlatform(api);
  await test.step('list', () => holdEverywhere(page, 'platforms', LIST));
  await test.step('new', () => holdEverywhere(page, 'platform-create', `${LIST}/create`));
  await test.step('one', () => holdEverywhere(page, 'platform', `${LIST}/${id}`));
  await test.step('LTI 1.1', () => holdEverywhere(page, 'platform-bridge', `${LIST}/bridge`));
});

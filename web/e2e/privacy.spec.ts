import { check, expect, shot, signIn, test } from './support/fixtures';

test('an owner sees what an erasure would do, confirms it, and the person is gone', async ({ page, api }) => {
  const person = { email: 'leaving@example.edu', name: 'Linda Leaving', role: 'teacher' };
  await api.post('/api/v1/organizations/default/members', person);
  await page.goto('/organization/members');
  const row = page.getByTestId('member-row').filter({ hasText: person.email });
  await row.getByTestId('member-menu').click();
  const download = page.waitForEvent('download');
  await page.getByTestId('member-export').click();
  expect((await download).suggestedFilename()).toBe('personal-data.zip');

  await row.getByTestId('member-menu').click();
  await page.getByTestId('member-erase').click();
  const dialog = page.getByTestId('erase-dialog');
  await expect(dialog.getByTestId('erase-plan')).toContainText('Backups, until they are deleted');
  await expect(dialog.getByTestId('erase-btn')).toBeDisabled();
  await check(page);
  await shot(page, 'erase-person');
  await dialog.getByTestId('erase-confirm').fill(person.email);
  await dialog.getByTestId('erase-btn').click();
  await expect(dialog).toHaveCount(0);
  // The job that disables the member may begin after the list was read again.
  await expect(async () => {
    const { items } = await api.get('/api/v1/organizations/default/members?limit=100');
    const member = items.find(({ email }: { email: string }) => email === person.email);
    expect(member?.disabled ?? true).toBe(true);
  }).toPass();
  await expect(async () => {
    const { items } = await api.get('/api/v1/organizations/default/erasures');
    expect(items[0]).toMatchObject({ state: 'done', report: { account: 'deleted' } });
  }).toPass({ timeout: 30_000 });
  await page.reload();
  await expect(page.getByTestId('member-row').first()).toBeVisible();
  await expect(row).toHaveCount(0);
});

test('people download their own data', async ({ browser, api, service }) => {
  await api.post('/api/v1/organizations/default/members', { email: 'own@example.edu', name: 'Own', role: 'member' });
  const body = { name: 'k', owner: 'own@example.edu', scopes: ['read', 'write'] };
  const { key } = await api.post('/api/v1/api-keys', body);
  const context = await browser.newContext({ baseURL: service.url, storageState: { cookies: [], origins: [] } });
  await signIn(context, service.url, key);
  const page = await context.newPage();
  await page.goto('/account/sessions');
  const download = page.waitForEvent('download');
  await page.getByTestId('download-my-data').click();
  expect((await download).suggestedFilename()).toBe('my-data.zip');
  await check(page);
  await shot(page, 'my-data');
  await context.close();
});

test('an administrator chooses what vendors get and how long data stays', async ({ page, api }) => {
  await page.goto('/organization');
  const card = page.getByTestId('privacy');
  await card.getByLabel('User IDs sent to model providers').selectOption('pseudonymous');
  await card.getByLabel('Audit entries').fill('365');
  await check(page);
  await shot(page, 'privacy-settings');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(async () => {
    const { privacy } = await api.get('/api/v1/organizations/default');
    expect(privacy).toMatchObject({ vendor_user_ids: 'pseudonymous', retention: { audit_days: 365, runs_days: null } });
  }).toPass();
});

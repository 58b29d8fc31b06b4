import { apiOf, check, expect, shot, test, picture } from './support/fixtures';

test('an administrator sets features, models and a provider, whose key is never shown again', async ({ page, api }) => {
  await page.goto('/organization');
  const features = page.getByTestId('features-form');
  await features.getByLabel('Planned strategy').uncheck();
  await features.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.success-message').last()).toBeVisible();
  expect((await api.get('/api/v1/organizations/default')).features.planned).toBe(false);
  await features.getByLabel('Planned strategy').check();
  await features.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await api.get('/api/v1/organizations/default')).features.planned).toBe(true);
  await check(page);
  await shot(page, 'organization-overview');

  await page.getByRole('link', { name: 'Providers', exact: true }).click();
  await page.getByTestId('vendor-anthropic').check();
  const form = page.getByTestId('new-provider');
  await form.getByLabel('API key').fill('sk-canary-web');
  // A port where nobody listens: the card tests what was saved.
  await form.getByLabel('Base URL').fill('http://127.0.0.1:9');
  await form.getByLabel('Models', { exact: true }).fill('small\nlarge');
  await page.getByTestId('add-provider').click();
  const card = page.getByTestId('provider-anthropic');
  await expect(card.getByText('Key stored')).toBeVisible();
  await expect(card.getByTestId('health')).toHaveAttribute('data-ok', 'false');
  await card.getByTestId('provider-settings').click();
  await expect(card.getByLabel('API key')).toHaveValue('');
  expect((await api.get('/api/v1/organizations/default')).providers.anthropic).toMatchObject({
    api_key_configured: true,
    models: ['small', 'large'],
  });
  expect(await page.content()).not.toContain('sk-canary-web');
  await check(page);
  await shot(page, 'organization-providers');
  await card.getByRole('button', { name: 'Remove' }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(card).toHaveCount(0);
});

test('members come, change and go', async ({ page, api }) => {
  await page.goto('/organization/members');
  await page.getByTestId('add-member').click();
  await page.getByTestId('member-email').fill('ada@example.edu');
  await page.getByTestId('member-name').fill('Ada Lovelace');
  await check(page);
  await shot(page, 'member-dialog');
  await page.getByTestId('member-save').click();
  await page.getByTestId('sign-in-link-done').click();
  const row = page.getByTestId('member-row').filter({ hasText: 'Ada Lovelace' });
  await expect(row).toContainText('Teacher');
  await row.getByTestId('member-menu').click();
  await page.getByTestId('member-edit').click();
  await page.getByTestId('member-role').selectOption('member');
  await page.getByTestId('member-email').fill('lovelace@example.edu');
  await page.getByTestId('member-save').click();
  await expect(row).toContainText('Member');
  await expect(row).toContainText('lovelace@example.edu');
  await row.getByTestId('member-menu').click();
  await page.getByTestId('member-toggle').click();
  await expect(row).toContainText('Disabled');
  await shot(page, 'organization-members');
  await picture(page, 'members');
  await row.getByTestId('member-menu').click();
  await page.getByTestId('member-remove').click();
  await page.getByTestId('confirm-btn').click();
  await expect(row).toHaveCount(0);
  await page.goto('/organization/audit');
  await expect(page.getByTestId('audit-entry').first()).toContainText('Member removed');
  expect((await api.get('/api/v1/organizations/default/audit')).items[0].actor.kind).toBe('session');
  await page.getByTestId('audit-entry').first().getByText('Details').click();
  await expect(page.getByTestId('audit-entry').first()).toContainText('member.remove');
  await check(page);
  await shot(page, 'organization-audit');
});

test('an administrator filters, downloads and verifies the audit trail', async ({ page, api }) => {
  await api.post('/api/v1/organizations/default/members', { email: 'eve@example.edu', name: 'Eve', role: 'member' });
  await page.goto('/organization/audit');
  await expect(page.getByTestId('audit-entry').first()).toBeVisible();
  await page.getByTestId('audit-filtering').click();
  await page.getByTestId('audit-filters').getByLabel('Action').fill('member.add');
  await page.getByTestId('audit-filters').getByLabel('Text').fill('eve@example.edu');
  await page.getByTestId('audit-filter').click();
  await expect(page.getByTestId('audit-entry')).toHaveCount(1);
  await expect(page.getByTestId('audit-entry')).toContainText('Member added');
  await page.getByTestId('audit-entry').getByText('Details').click();
  await expect(page.getByTestId('diff')).toContainText('eve@example.edu');
  const saved = page.waitForEvent('download');
  await page.getByTestId('audit-csv').click();
  expect((await saved).suggestedFilename()).toBe('audit-default.csv');
  await page.getByTestId('verify-audit').click();
  await expect(page.getByTestId('audit-chain')).toContainText('nothing was changed');
  await check(page);
  await shot(page, 'organization-audit-filtered');
});

test('a key is shown once, works, and ends when it is revoked', async ({ page, service }) => {
  await page.goto('/account/api-keys');
  await page.getByTestId('new-key').click();
  await page.getByTestId('key-name').fill('My chat client');
  await check(page);
  await shot(page, 'key-dialog');
  await page.getByTestId('create-key').click();
  const key = await page.getByTestId('new-key-value').inputValue();
  expect(key).toMatch(/^bw_live_/);
  const theirs = apiOf({ url: service.url, key });
  expect((await theirs.get('/api/v1/me')).scopes.sort()).toEqual(['chat', 'read']);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await expect(page.getByTestId('new-key-value')).toHaveCount(0);
  expect(await page.content()).not.toContain(key);
  await shot(page, 'api-keys');
  await page.getByTestId('key-row').filter({ hasText: 'My chat client' }).getByTestId('revoke-key').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByText('My chat client', { exact: true })).toHaveCount(0);
  await expect(theirs.get('/api/v1/me')).rejects.toThrow('401');
});

test('a system administrator makes an organization, looks into it, suspends it, ends it and brings it back', async ({
  page,
  api,
}) => {
  await page.goto('/organization/organizations');
  await page.getByTestId('new-organization').click();
  const dialog = page.getByTestId('organization-dialog');
  await dialog.getByLabel('Name', { exact: false }).first().fill('Physics');
  await dialog.getByLabel('Short name').fill('physics');
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('link', { name: 'Physics' }).click();
  await expect(page.getByTestId('other-organization')).toContainText('physics');
  await expect(page.getByTestId('features-form').getByLabel('Name')).toHaveValue('Physics');
  await page.getByRole('link', { name: 'All organizations' }).click();
  await page.getByRole('button', { name: 'Suspend: Physics' }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByRole('button', { name: 'Resume: Physics' })).toBeVisible();
  expect((await api.get('/api/v1/organizations/physics')).suspended).toBe(true);
  await page.getByRole('button', { name: 'End…: Physics' }).click();
  const ending = page.getByTestId('end-dialog');
  await expect(ending.getByTestId('end-btn')).toBeDisabled();
  const archive = page.waitForEvent('download');
  await ending.getByTestId('end-export').click();
  expect((await archive).suggestedFilename()).toBe('physics.zip');
  await ending.getByTestId('end-days').fill('7');
  await ending.getByTestId('end-confirm').fill('physics');
  await check(page);
  await shot(page, 'end-organization');
  await ending.getByTestId('end-btn').click();
  await expect(page.getByTestId('organization-row').filter({ hasText: 'Physics' })).toContainText('Deleted after');
  const { erase_after } = await api.get('/api/v1/organizations/physics');
  expect(Date.parse(erase_after) - Date.now()).toBeLessThan(7.1 * 86_400_000);
  await check(page);
  await shot(page, 'organizations');
  await page.getByRole('button', { name: 'Restore: Physics' }).click();
  // It was suspended before.
  await expect(page.getByRole('button', { name: 'Resume: Physics' })).toBeVisible();
});

import { type Api, apiOf, check, expect, type Page, shot, signIn, test, picture } from './support/fixtures';

const GROUPS = '/api/v1/organizations/default/groups';

const person = (role: string, name: string) => ({ email: `${name.toLowerCase()}@groups.example.edu`, name, role });

/** A member of the organization with a key. */
async function joined(api: Api, { email, name, role }: ReturnType<typeof person>): Promise<string> {
  await api.post('/api/v1/organizations/default/members', { email, name, role });
  return (await api.post('/api/v1/api-keys', { name, owner: email, scopes: ['read', 'write'] })).key;
}

async function createGroup(page: Page, name: string): Promise<void> {
  await page.goto('/organization/groups');
  await page.getByTestId('new-group').click();
  await page.getByTestId('group-name').fill(name);
  await page.getByTestId('group-external-id').fill(`/courses/${name}`);
  await check(page);
  await page.getByTestId('group-save').click();
}

test('a group gets a member, an assistant and a knowledge base, and the member sees both', async ({
  page,
  api,
  service,
}) => {
  test.setTimeout(120_000);
  const key = await joined(api, person('teacher', 'Grace'));
  const assistant = await api.post('/api/v1/assistants', {
    name: 'Shared with physics',
    prompt_template: '{user_input}',
    metadata: { connector: 'bypass' },
  });
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Physics papers' });

  await createGroup(page, 'physics');
  const row = page.getByTestId('group-row').filter({ hasText: '/courses/physics' });
  await expect(row).toContainText('0 members');
  await row.getByTestId('group-members').click();
  const dialog = page.getByTestId('group-members-dialog');
  await dialog.getByTestId('group-add-member').selectOption({ label: 'Grace (grace@groups.example.edu)' });
  await expect(dialog.getByTestId('group-member')).toContainText('added by hand');
  await check(page);
  await shot(page, 'group-members');
  await page.keyboard.press('Escape');
  await expect(row).toContainText('1 member');
  await check(page);
  await shot(page, 'groups');
  await picture(page, 'groups');

  await page.goto('/assistants');
  const card = page.getByTestId('assistants-list').getByRole('listitem').filter({ hasText: assistant.name });
  await card.getByTestId('assistant-actions').click();
  await page.getByTestId('action-share').click();
  await page.getByTestId('share-dialog').getByTestId('share-group').selectOption({ label: 'physics' });
  await expect(page.getByTestId('share-dialog').getByTestId('group-share')).toContainText('physics');
  await page.keyboard.press('Escape');

  await page.goto(`/knowledge-bases/${base.id}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const shares = page.getByTestId('shares-dialog');
  await shares.getByTestId('share-group').selectOption({ label: 'physics' });
  await expect(shares.getByTestId('group-share')).toContainText('physics');
  await check(page);
  await shot(page, 'knowledge-base-groups');

  const grace = apiOf({ url: service.url, key });
  expect((await grace.get('/api/v1/assistants')).items).toContainEqual(
    expect.objectContaining({ name: assistant.name }),
  );
  expect((await grace.get('/api/v1/knowledge-bases')).items).toContainEqual(
    expect.objectContaining({ name: base.name }),
  );

  await page.goto('/organization/groups');
  await row.getByTestId('group-members').click();
  await dialog.getByRole('button', { name: 'Remove Grace' }).click();
  await expect(dialog.getByTestId('group-member')).toHaveCount(0);
  // Other tests may have published assistants for everybody.
  expect((await grace.get('/api/v1/assistants')).items).not.toContainEqual(
    expect.objectContaining({ name: assistant.name }),
  );
  await page.keyboard.press('Escape');

  await row.getByTestId('group-menu').click();
  await page.getByTestId('group-edit').click();
  await page.getByTestId('group-name').fill('Physics 1');
  await page.getByTestId('group-save').click();
  await expect(row).toContainText('Physics 1');
  await row.getByTestId('group-menu').click();
  await page.getByTestId('group-delete').click();
  await page.getByTestId('confirm-btn').click();
  await expect(row).toHaveCount(0);
});

test('teachers manage their own groups, members see the groups that they are in', async ({ browser, api, service }) => {
  const teacher = await joined(api, person('teacher', 'Emmy'));
  const member = await joined(api, person('member', 'Max'));
  await api.post(GROUPS, { name: 'Of the administrators' });
  const visit = async (key: string): Promise<Page> => {
    const context = await browser.newContext({ baseURL: service.url, storageState: { cookies: [], origins: [] } });
    await signIn(context, service.url, key);
    const page = await context.newPage();
    await page.goto('/assistants');
    await page.getByTestId('account-menu').click();
    await page.getByRole('menuitem', { name: 'Groups' }).click();
    return page;
  };
  const emmy = await visit(teacher);
  await expect(emmy.getByTestId('group-row').filter({ hasText: 'Of the administrators' })).toBeVisible();
  await expect(emmy.getByTestId('group-members')).toHaveCount(0);
  await emmy.getByTestId('new-group').click();
  await emmy.getByTestId('group-name').fill('Algebra');
  await expect(emmy.getByTestId('group-external-id')).toHaveCount(0);
  await emmy.getByTestId('group-save').click();
  await emmy.getByTestId('group-members').click();
  await emmy.getByTestId('group-addresses').fill('max@groups.example.edu');
  await emmy.getByTestId('group-add').click();
  await expect(emmy.getByTestId('group-member')).toContainText('Max');

  const max = await visit(member);
  await expect(max.getByTestId('group-row')).toHaveCount(1);
  await expect(max.getByTestId('group-row')).toContainText('Algebra');
  await expect(max.getByTestId('new-group')).toHaveCount(0);
  await expect(max.getByTestId('directory')).toHaveCount(0);
  await check(max);
  await emmy.context().close();
  await max.context().close();
});

test('an owner connects a directory: its token is shown once, and can be revoked', async ({ page, service }) => {
  await page.goto('/organization/groups');
  await expect(page.getByTestId('scim-address')).toHaveValue(`${service.url}/scim/v2`);
  await page.getByTestId('new-scim-token').click();
  await page.getByTestId('scim-token-name').fill('Entra');
  await page.getByTestId('scim-link').check();
  await page.getByTestId('create-scim-token').click();
  const value = page.getByTestId('new-key-value');
  await expect(value).toHaveValue(/^bw_scim_/);
  await check(page);
  const token = await value.inputValue();
  const users = (): Promise<Response> =>
    fetch(`${service.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } });
  expect((await users()).status).toBe(200);
  await page.getByTestId('scim-token-dialog').getByRole('button', { name: 'I have copied it' }).click();
  await page.reload();
  const row = page.getByTestId('scim-token');
  await expect(row).toContainText('Entra');
  await expect(row).toContainText('last used');
  await expect(page.getByTestId('new-key-value')).toHaveCount(0);
  await check(page);
  await shot(page, 'directory');
  await row.getByTestId('revoke-scim-token').click();
  await page.getByTestId('confirm-revoke-token').getByTestId('confirm-btn').click();
  await expect(row).toHaveCount(0);
  expect((await users()).status).toBe(401);
});

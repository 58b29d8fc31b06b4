// The shell around every page, and the list of assistants with what can be done with each.
import { type Api, check, expect, shot, test } from './support/fixtures';

const multiTool = {
  _format_version: 3,
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'bypass',
  tools: [
    { plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: {} },
    { plugin: 'rubric_rag', placeholder: '2_rubric', enabled: true, config: {} },
  ],
};
const classic = { prompt_processor: 'simple_augment', connector: 'bypass', rag_processor: 'single_file_rag' };

/** A name that no other test searches for. */
const unique = (name: string): string => `${name} ${Date.now().toString(36)}${Math.floor(Math.random() * 1e6)}`;
const make = (api: Api, name: string, metadata: object): Promise<any> =>
  api.post('/api/v1/assistants', { name, prompt_template: 'Question: {user_input}', metadata });

test('one finds assistants by type and name, and the address keeps what is shown', async ({ page, api }) => {
  const mark = unique('Finding');
  await make(api, `${mark} helper`, classic);
  await make(api, `${mark} evaluator`, multiTool);
  await page.goto('/assistants');
  await page.getByTestId('search-input').fill(mark);
  const cards = page.getByTestId('assistant-card');
  await expect(cards).toHaveCount(2);
  await expect(cards.filter({ hasText: 'evaluator' })).toContainText('Tools: Knowledge Base RAG, Assessment Rubric');
  await expect(cards.filter({ hasText: 'helper' })).toContainText('Uses: Single File Context');
  await expect(page.getByTestId('announcer')).toHaveText('2 of 2 shown');

  await page.getByTestId('filter-classic').click();
  await expect(cards).toHaveCount(1);
  await expect(page.getByTestId('type-badge-classic')).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('search-input')).toHaveValue(mark);
  await expect(cards).toHaveCount(1);

  await page.getByTestId('filter-multi-tool').click();
  await expect(page).toHaveURL(/\/multi-tool-assistants\?q=/);
  await expect(page.getByTestId('type-badge-multi_tool')).toBeVisible();
  await page.getByTestId('search-input').fill(`${mark} nothing`);
  await expect(page.getByTestId('empty-state')).toBeVisible();
  await check(page);
});

test('a long list is shown page by page', async ({ page, api }) => {
  const mark = unique('Paging');
  for (let n = 1; n <= 23; n++) await make(api, `${mark} ${n}`, classic);
  await page.goto(`/assistants?q=${encodeURIComponent(mark)}`);
  const cards = page.getByTestId('assistant-card');
  await expect(cards).toHaveCount(20);
  await expect(page.getByTestId('shown')).toHaveText('20 of 23 shown');
  const first = await cards.allTextContents();
  await page.getByTestId('more-btn').press('Enter');
  await expect(cards).toHaveCount(23);
  await expect(page.getByTestId('announcer')).toHaveText('23 of 23 shown');
  await expect(page.getByTestId('more-btn')).toHaveCount(0);
  // What was there stays where it was, and nothing is shown twice.
  const all = await cards.allTextContents();
  expect(all.slice(0, 20)).toEqual(first);
  const ids = await cards.evaluateAll((found) =>
    found.map((card) => card.closest('[data-id]')?.getAttribute('data-id')),
  );
  expect(new Set(ids).size).toBe(23);
});

test('duplicate, publish, share, restore, export, import and delete from the menu', async ({ page, api }) => {
  const name = unique('Menu');
  const made = await make(api, name, multiTool);
  await api.patch(`/api/v1/assistants/${made.id}`, { system_prompt: 'Be brief.' });
  const { slug } = (await api.get('/api/v1/me')).organization;
  const email = `${unique('ada').replaceAll(' ', '-').toLowerCase()}@example.edu`;
  await api.post(`/api/v1/organizations/${slug}/members`, { email, name: 'Ada', role: 'teacher' });
  await page.goto(`/assistants?q=${encodeURIComponent(name)}`);
  const act = async (action: string): Promise<void> => {
    await page.locator(`[data-id="${made.id}"]`).getByTestId('assistant-actions').click();
    await page.getByTestId(`action-${action}`).click();
  };

  await test.step('shares with somebody', async () => {
    await act('share');
    await page.getByTestId('share-email').fill('no address');
    await page.getByTestId('share-add').click();
    await expect(page.getByTestId('share-email')).toHaveAttribute('aria-invalid', 'true');
    await page.getByTestId('share-email').fill(email);
    await page.getByTestId('share-access').selectOption('edit');
    await page.getByTestId('share-add').click();
    await expect(page.getByTestId('share')).toContainText('Ada');
    await check(page);
    // Nothing is left to save.
    await page.keyboard.press('Escape');
    const { shares } = await api.get(`/api/v1/assistants/${made.id}/shares`);
    expect(shares.map((share: any) => [share.email, share.access])).toEqual([[email, 'edit']]);
  });

  await test.step('cannot be published while a choice is missing, and says which', async () => {
    await act('publish');
    await page.getByTestId('publish-btn').click();
    await expect(page.getByTestId('publication-dialog').getByTestId('problem')).toContainText('tools[0]');
    await check(page);
    await shot(page, 'publication');
    await page.keyboard.press('Escape');
    await expect(page.locator(`[data-id="${made.id}"]`).getByTestId('assistant-actions')).toBeFocused();
  });

  await test.step('restores an older version after a look at the differences', async () => {
    await act('versions');
    await page.getByTestId('version').nth(1).click();
    await expect(page.getByTestId('versions-dialog')).toContainText('Be brief.');
    await check(page);
    await shot(page, 'versions');
    await page.getByTestId('restore-btn').click();
    await expect(page.locator('.success-message').filter({ hasText: 'Version 1' })).toBeVisible();
    const now = await api.get(`/api/v1/assistants/${made.id}`);
    expect([now.system_prompt, now.version]).toEqual(['', 3]);
  });

  await test.step('goes out as a file and comes back after a dry run', async () => {
    const downloading = page.waitForEvent('download');
    await act('export');
    const file = await (await downloading).path();
    await page.getByTestId('import-btn').click();
    await page.getByTestId('import-file').setInputFiles(file);
    await expect(page.getByTestId('import-plan')).toContainText(name);
    await check(page);
    await shot(page, 'import');
    const before = (await api.get(`/api/v1/assistants?q=${encodeURIComponent(name)}`)).total;
    expect(before).toBe(1);
    await page.getByTestId('import-confirm').click();
    await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+/);
  });

  await test.step('is copied and deleted', async () => {
    await page.goto(`/assistants?q=${encodeURIComponent(name)}`);
    const cards = page.getByTestId('assistant-card');
    await expect(cards).toHaveCount(2);
    await act('duplicate');
    await expect(cards).toHaveCount(3);
    await act('delete');
    await check(page);
    await page.getByTestId('confirm-delete').click();
    await expect(page.locator(`[data-id="${made.id}"]`)).toHaveCount(0);
    await expect(cards).toHaveCount(2);
  });
});

test('menus, shortcuts, language and appearance by keyboard, remembered', async ({ page }) => {
  await page.goto('/assistants');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Assistants');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.getByTestId('nav-assistants').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('nav-all-assistants')).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/multi-tool-assistants\/create/);

  await page.goto('/assistants');
  await expect(page.getByTestId('search-input')).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByTestId('keyboard-sheet')).toBeVisible();
  await check(page);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('keyboard-sheet')).toBeHidden();
  await page.keyboard.press('/');
  await expect(page.getByTestId('search-input')).toBeFocused();
  await page.keyboard.type('?');
  await expect(page.getByTestId('search-input')).toHaveValue('?');

  await page.getByTestId('language-menu').click();
  await page.getByTestId('language-ca').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Assistents');
  await page.getByTestId('theme-menu').click();
  await page.getByTestId('theme-dark').click();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Assistents');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ca');
});

test('offline is said, and the list comes back with the connection', async ({ page, context }) => {
  await page.goto('/assistants');
  await expect(page.getByTestId('search-input')).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByTestId('offline-banner')).toBeVisible();
  await page.getByTestId('search-input').fill('x');
  await expect(page.getByTestId('problem')).toHaveAttribute('data-code', 'offline');
  await context.setOffline(false);
  await expect(page.getByTestId('offline-banner')).toBeHidden();
  // The list is read again by itself.
  await expect(page.getByTestId('problem')).toBeHidden();
});

test("a session's end keeps the page, and the work goes on after signing in elsewhere", async ({ page }) => {
  await page.goto('/assistants');
  await expect(page.getByTestId('search-input')).toBeVisible();
  const refusal = { code: 'unauthenticated', detail: 'No session', status: 401 };
  await page.route('**/api/v1/**', (route) => route.fulfill({ status: 401, json: refusal }));
  await page.getByTestId('search-input').fill('unfinished');
  await expect(page.getByTestId('session-ended')).toBeVisible();
  await check(page);
  await page.getByRole('button', { name: 'I have signed in: continue' }).click();
  await expect(page.getByTestId('session-ended')).toContainText('You are not signed in yet');
  await page.unroute('**/api/v1/**');
  await page.getByRole('button', { name: 'I have signed in: continue' }).click();
  await expect(page.getByTestId('session-ended')).toBeHidden();
  await expect(page.getByTestId('search-input')).toHaveValue('unfinished');
});

test('a member is offered what members may do', async ({ page }) => {
  await page.route('**/api/v1/me', async (route) => {
    const answer = await route.fetch();
    const me = { ...(await answer.json()), role: 'member', system_admin: false, scopes: ['chat', 'read'] };
    await route.fulfill({ response: answer, json: me });
  });
  await page.goto('/assistants');
  await expect(page.getByTestId('search-input')).toBeVisible();
  await expect(page.getByTestId('create-link')).toHaveCount(0);
  await expect(page.getByTestId('nav-administration')).toHaveCount(0);
  await page.goto('/admin/migration');
  await expect(page.getByTestId('admins-only')).toBeVisible();
});

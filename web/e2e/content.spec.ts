// Knowledge bases, rubrics, files and prompt templates, as a teacher uses them.
import { type Page } from '@playwright/test';
import { check, expect, picture, shot, test, uncover } from './support/fixtures';
import { reachable } from './support/keyboard';

const note = (name: string, text: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
const upload = (page: Page, ...files: ReturnType<typeof note>[]): Promise<void> =>
  page.getByTestId('upload-box').locator('input[type=file]').setInputFiles(files);

test('a knowledge base is made, filled by several files at once, asked, and deleted with a word on who uses it', async ({
  page,
  api,
  service,
}) => {
  await api.patch('/api/v1/organizations/default', { reranker: { dialect: 'tei', url: service.vendor } });
  await page.goto('/knowledge-bases');
  // An empty list offers it twice.
  await page.getByTestId('create-btn').first().click();
  await page.getByTestId('kb-name-input').fill('Cells of content');
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
  await expect(page).toHaveURL(/\/knowledge-bases\/[0-9a-f-]{36}$/);

  await upload(
    page,
    note('photosynthesis.md', '# Photosynthesis\n\nChlorophyll absorbs light in the thylakoid membrane.'),
    note('osmosis.md', '# Osmosis\n\nWater moves through a membrane towards more solute.'),
    { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 and no more') },
  );
  const documents = page.getByTestId('document');
  // The service waits some seconds for the documents before it answers the upload.
  await expect(documents).toHaveCount(3, { timeout: 30_000 });
  await expect(documents.filter({ hasText: 'photosynthesis.md' })).toHaveAttribute('data-status', 'completed');
  const broken = documents.filter({ hasText: 'broken.pdf' });
  await expect(broken).toHaveAttribute('data-status', 'failed');
  await expect(broken).toContainText('The file is damaged or cut short. Export it again.');
  await page.getByTestId('status-failed').click();
  await expect(documents).toHaveCount(1);
  await page.getByTestId('status-all').click();
  await expect(documents).toHaveCount(3);

  await page.getByTestId('query-input').fill('Where is light absorbed?');
  await page.getByTestId('query-btn').click();
  await expect(page.getByTestId('passage').first()).toContainText('thylakoid');
  await expect(page.getByTestId('query-timing')).toContainText('ms');
  await expect(page.locator('mark').first()).toBeVisible();

  const right = page.getByTestId('judge-right').first();
  await right.press('Enter');
  await expect(right).toHaveAttribute('aria-pressed', 'true');
  await page.getByText('Compare settings', { exact: true }).press('Enter');
  await page.getByTestId('compare-btn').press('Enter');
  const alternatives = page.getByTestId('alternative');
  await expect(alternatives.filter({ hasText: 'Current' })).toContainText('100%');
  await uncover(page);
  await check(page);
  await shot(page, 'knowledge-base-query');
  await picture(page, 'knowledge-base');
  await reachable(page, 'comparison of settings', 'main');

  const id = page.url().split('/').at(-1) ?? '';
  await page.getByRole('button', { name: 'Use: Words alone, then the reranker' }).press('Enter');
  await expect(alternatives).toHaveCount(0);
  expect((await api.get(`/api/v1/knowledge-bases/${id}`)).rerank).toBe(true);
  await api.patch('/api/v1/organizations/default', { reranker: null });
  await api.post('/api/v1/assistants', {
    name: 'Reader of cells',
    metadata: {
      assistant_type: 'multi_tool',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', config: { collections: [id] } }],
    },
  });
  await page.getByTestId('delete-btn').click();
  await expect(page.getByTestId('used-by')).toContainText('Reader of cells');
  await check(page);
  await shot(page, 'deletion');
  await page.getByTestId('confirm-btn').click();
  await expect(page).toHaveURL(/\/knowledge-bases$/);
  await expect(page.getByRole('link', { name: 'Cells of content' })).toHaveCount(0);
});

test('a knowledge base is shared with a member by address, and an unknown address is told', async ({ page, api }) => {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Shared notes' });
  const { organization } = await api.get('/api/v1/me');
  await api.post(`/api/v1/organizations/${organization.slug}/members`, {
    email: 'content.reader@example.edu',
    name: 'Content Reader',
    role: 'teacher',
  });
  await page.goto(`/knowledge-bases/${base.id}`);
  await page.getByTestId('share-btn').click();
  const dialog = page.getByTestId('shares-dialog');
  await dialog.locator('input[type=email]').fill('nobody@example.edu');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toContainText('No member of your organization');
  await dialog.locator('input[type=email]').fill('content.reader@example.edu');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(dialog).toContainText('Content Reader');
  await check(page);
  await shot(page, 'knowledge-base-shares');
  await dialog.getByRole('button', { name: /Stop sharing/ }).click();
  await expect(dialog).not.toContainText('Content Reader');
});

test('a rubric is written by keyboard, kept from loss, and read back as it was', async ({ page, api }) => {
  await page.goto('/rubrics/create');
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('faults')).toContainText('3 fields');
  await expect(page.getByTestId('rubric-title')).toBeFocused();
  await shot(page, 'rubric-faults');

  await page.keyboard.type('Lab report');
  await page.getByLabel('Name of criterion 1').fill('Method');
  await page.getByLabel('What is judged in Method').fill('Whether it can be repeated');
  await page.getByTestId('add-criterion').press('Enter');
  await expect(page.getByLabel('Name of criterion 2')).toBeFocused();
  await page.keyboard.type('Result');
  await page.getByLabel('What is judged in Result').fill('What was measured');
  await page.getByLabel('Result: description of “Exemplary”').fill('Every number has a unit');
  await page.getByRole('button', { name: 'Move Result up' }).press('Enter');
  await expect(page.getByLabel('Name of criterion 1')).toHaveValue('Result');
  await expect(page.getByRole('button', { name: 'Move Result down' })).not.toBeFocused();
  await expect(page.getByTestId('announcer')).toHaveText('Criterion moved to position 1 of 2');
  await page.getByRole('button', { name: 'Move level 1 to the right' }).press('Enter');
  await expect(page.getByLabel('Label of level 2')).toHaveValue('Exemplary');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByLabel('Label of level 1')).toHaveValue('Exemplary');

  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Rubrics' }).last().click();
  await expect(page).toHaveURL(/\/rubrics\/create$/);

  await page.keyboard.press('Control+s');
  await expect(page.locator('.success-message')).toBeVisible();
  await expect(page).toHaveURL(/\/rubrics\/[0-9a-f-]{36}$/);
  await page.getByTestId('preview-markdown').click();
  await expect(page.getByTestId('preview-text')).toContainText('### 1. Result');
  await uncover(page);
  await check(page);
  await shot(page, 'rubric-editor');
  await picture(page, 'rubric');
  const saved = await api.get(`/api/v1/rubrics/${page.url().split('/').at(-1)}`);
  expect(saved.criteria.map(({ name }: { name: string }) => name)).toEqual(['Result', 'Method']);
  expect(saved.criteria[0].levels[0]).toMatchObject({ label: 'Exemplary', description: 'Every number has a unit' });
});

test('a rubric that was saved elsewhere meanwhile shows both sides', async ({ page, api }) => {
  const { items } = await api.get('/api/v1/rubrics?q=Lab');
  const made = items[0] ?? (await api.get('/api/v1/rubrics')).items[0];
  await page.goto(`/rubrics/${made.id}`);
  await page.getByTestId('rubric-title').fill('Mine');
  await api.patch(`/api/v1/rubrics/${made.id}`, { title: 'Theirs' });
  await page.getByTestId('save-btn').click();
  const dialog = page.getByTestId('stale-dialog');
  await expect(dialog).toContainText('Theirs');
  await expect(dialog).toContainText('Mine');
  await check(page);
  await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect(page.locator('.success-message')).toBeVisible();
  expect((await api.get(`/api/v1/rubrics/${made.id}`)).title).toBe('Mine');
});

test('a rubric is exported and imported again', async ({ page, api }) => {
  const { items } = await api.get('/api/v1/rubrics');
  const document = await api.get(`/api/v1/rubrics/${items[0].id}/export`);
  await page.goto('/rubrics');
  const choose = page.getByTestId('import-input');
  await choose.setInputFiles({ name: 'r.json', mimeType: 'application/json', buffer: Buffer.from('{') });
  await expect(page.getByTestId('problem')).toContainText('not valid JSON');
  const copy = { ...document, title: 'Brought along' };
  await choose.setInputFiles({
    name: 'r.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(copy)),
  });
  await expect(page.getByTestId('rubric-title')).toHaveValue('Brought along');
});

test('files go into folders, are looked at and deleted', async ({ page, api }) => {
  await api.upload('/api/v1/files', { 'week1/brief.md': '# Brief\n\nWrite about $x$.' });
  await page.goto('/files');
  await page.getByTestId('folder').filter({ hasText: 'week1' }).getByRole('button').click();
  await upload(page, note('guide.md', '# Guide'));
  const files = page.getByTestId('file');
  await expect(files).toHaveCount(2);
  expect((await api.get('/api/v1/files')).items.map(({ path }: { path: string }) => path)).toContain('week1/guide.md');
  await page.getByRole('button', { name: 'brief.md', exact: true }).click();
  await expect(page.getByTestId('file-text')).toContainText('Write about $x$.');
  await check(page);
  await shot(page, 'file-preview');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete week1/guide.md' }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(files).toHaveCount(1);
});

test('a starter is copied, changed and shared', async ({ page, api }) => {
  await page.goto('/prompt-templates');
  await page.getByRole('button', { name: 'Actions for Essay feedback' }).click();
  await page.getByTestId('duplicate').click();
  await expect(page).toHaveURL(/\/prompt-templates\/[0-9a-f-]{36}$/);
  // The keyboard saves as the button does: a form that lacks something is not sent.
  await page.getByTestId('template-name').fill('');
  await page.keyboard.press('Control+s');
  await expect(page.getByTestId('template-name')).toBeFocused();
  await expect(page.getByTestId('problem')).toHaveCount(0);
  await page.getByTestId('template-name').fill('Essay feedback, ours');
  const text = page.locator('.cm-content');
  await text.fill('Judge: ');
  await page.locator('[data-testid="template-chip"][data-slot="2_rubric"]').click();
  await expect(text).toHaveText('Judge: {2_rubric}');
  await expect(page.getByTestId('template-message')).toHaveAttribute('data-slot', 'user_input');
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message').last()).toBeVisible();
  await uncover(page);
  await check(page);
  await shot(page, 'prompt-template');
  await page.getByTestId('template-menu').click();
  await page.getByTestId('share').click();
  const id = page.url().split('/').at(-1);
  await expect.poll(async () => (await api.get(`/api/v1/prompt-templates/${id}`)).shared).toBe(true);
});

test('a list that cannot be reached says so and can be tried again', async ({ page }) => {
  await page.route('**/api/v1/rubrics?*', (route) => route.abort());
  await page.goto('/rubrics');
  await expect(page.getByTestId('problem')).toHaveAttribute('data-code', 'offline');
  await shot(page, 'list-unreachable');
  await page.unroute('**/api/v1/rubrics?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId('problem')).toHaveCount(0);
});

test('an address is added, read again, says why it failed, and is removed', async ({ page, api }) => {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Pages' });
  await page.goto(`/knowledge-bases/${base.id}`);
  // Nothing listens there, and the address policy refuses it or the connection fails: either is told in the row.
  await page.getByTestId('source-url').fill('http://nowhere.invalid/page');
  await page.getByTestId('source-refresh').selectOption('weekly');
  await page.getByTestId('source-add').click();
  const source = page.getByTestId('source');
  await expect(source).toHaveAttribute('data-status', 'failed', { timeout: 30_000 });
  await expect(source).toContainText('upstream_error');
  await expect(page.getByTestId('source-url')).toHaveValue('');
  await page.getByTestId('source-schedule').selectOption('daily');
  await expect
    .poll(async () => (await api.get(`/api/v1/knowledge-bases/${base.id}/sources`)).items[0].refresh)
    .toBe('daily');
  await check(page);
  await shot(page, 'knowledge-base-sources');
  await page.getByTestId('source-now').click();
  await expect(source).toHaveAttribute('data-status', 'failed', { timeout: 30_000 });
  await page.getByTestId('source-remove').click();
  await page.getByTestId('confirm-btn').click();
  await expect(source).toHaveCount(0);
});

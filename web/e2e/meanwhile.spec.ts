// Two people, or two tabs, edit the same: nobody overwrites unseen what the other saved.
import { type Page } from '@playwright/test';
import { type Api, check, expect, shot, test } from './support/fixtures';

const saved = (page: Page) => page.locator('.success-message').last();
const field = (page: Page, path: string) => page.locator(`[data-testid=conflict-field][data-path=${path}]`);

test('a template in two tabs: both sides are shown, and theirs is taken or overwritten', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/prompt-templates', {
    name: 'In two tabs',
    prompt_template: 'Question: {user_input}',
  });
  const other = await page.context().newPage();
  for (const tab of [page, other]) await tab.goto(`/prompt-templates/${id}`);
  await other.getByTestId('template-name').fill('Named in the other tab');
  await other.getByTestId('save-btn').click();
  await expect(saved(other)).toBeVisible();

  const text = page.locator('.cm-content');
  await text.fill('Question of today: {user_input}');
  await page.keyboard.press('Control+s');
  const dialog = page.getByTestId('conflict-dialog');
  await expect(dialog).toBeVisible();
  await expect(field(page, 'name')).toContainText('Named in the other tab');
  await expect(field(page, 'prompt_template')).toContainText('Question of today');
  await check(page);
  await shot(page, 'template-conflict');

  // Esc goes on editing; nothing is lost, and saving asks again.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(text).toHaveText('Question of today: {user_input}');
  await expect(page.getByTestId('unsaved')).toBeVisible();
  await page.getByTestId('save-btn').click();
  await page.getByTestId('take-theirs-btn').click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('template-name')).toHaveValue('Named in the other tab');
  await expect(text).toHaveText('Question: {user_input}');
  await expect(page.getByTestId('unsaved')).toHaveCount(0);

  await page.getByTestId('template-name').fill('Named here');
  await page.getByTestId('save-btn').click();
  await expect(saved(page)).toBeVisible();
  await other.getByTestId('template-name').fill('Overwritten');
  await other.getByTestId('save-btn').click();
  await other.getByTestId('overwrite-btn').click();
  await expect(other.getByTestId('conflict-dialog')).toBeHidden();
  await expect.poll(async () => (await api.get(`/api/v1/prompt-templates/${id}`)).name).toBe('Overwritten');
  expect((await api.get(`/api/v1/prompt-templates/${id}`)).version).toBe(4);
});

test('a template that was only shared meanwhile is saved without a question', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/prompt-templates', { name: 'Shared meanwhile' });
  await page.goto(`/prompt-templates/${id}`);
  await page.getByTestId('template-name').fill('Shared and renamed');
  await api.put(`/api/v1/prompt-templates/${id}/share`, { shared: true });
  await page.getByTestId('save-btn').click();
  await expect(saved(page)).toBeVisible();
  expect(await api.get(`/api/v1/prompt-templates/${id}`)).toMatchObject({ name: 'Shared and renamed', shared: true });
});

test('the settings of a knowledge base in two tabs: both sides are shown over the form', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/knowledge-bases', { name: 'Base in two tabs' });
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await tab.goto(`/knowledge-bases/${id}`);
    await tab.getByTestId('edit-btn').click();
  }
  await other.getByTestId('kb-name-input').fill('Base of the other tab');
  await other.getByTestId('save-btn').click();
  await expect(saved(other)).toBeVisible();

  const form = page.getByTestId('knowledge-base-form');
  await form.getByLabel('Description').fill('For the first year');
  await form.getByTestId('save-btn').click();
  const dialog = page.getByTestId('conflict-dialog');
  await expect(field(page, 'name')).toContainText('Base of the other tab');
  await expect(field(page, 'name')).toContainText('Base in two tabs');
  await expect(field(page, 'description')).toContainText('For the first year');
  await check(page);
  await shot(page, 'knowledge-base-conflict');
  await page.getByTestId('keep-editing-btn').click();
  await expect(dialog).toBeHidden();
  await expect(form.getByLabel('Description')).toHaveValue('For the first year');
  await form.getByTestId('save-btn').click();
  await page.getByTestId('take-theirs-btn').click();
  await expect(form.getByTestId('kb-name-input')).toHaveValue('Base of the other tab');
  await expect(form.getByLabel('Description')).toHaveValue('');
  await expect(page.getByRole('heading', { level: 1, includeHidden: true })).toHaveText('Base of the other tab');
  await form.getByLabel('Description').fill('For the second year');
  await form.getByTestId('save-btn').click();
  await expect(saved(page)).toBeVisible();
  expect(await api.get(`/api/v1/knowledge-bases/${id}`)).toMatchObject({
    name: 'Base of the other tab',
    description: 'For the second year',
    version: 3,
  });

  await other.getByTestId('edit-btn').click();
  await other.getByTestId('kb-name-input').fill('Mine at last');
  await other.getByTestId('save-btn').click();
  await other.getByTestId('overwrite-btn').click();
  await expect.poll(async () => (await api.get(`/api/v1/knowledge-bases/${id}`)).name).toBe('Mine at last');
});

test('the readers of a knowledge base can be changed while its settings changed meanwhile', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/knowledge-bases', { name: 'Shown meanwhile' });
  await page.goto(`/knowledge-bases/${id}`);
  await page.getByTestId('share-btn').click();
  await api.patch(`/api/v1/knowledge-bases/${id}`, { description: 'Newer' });
  await page.getByTestId('shares-dialog').getByRole('checkbox').check();
  await expect(saved(page)).toBeVisible();
  expect(await api.get(`/api/v1/knowledge-bases/${id}`)).toMatchObject({
    visibility: 'organization',
    description: 'Newer',
  });
});

test('what was changed meanwhile is not deleted unseen', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/knowledge-bases', { name: 'Deleted meanwhile' });
  await page.goto(`/knowledge-bases/${id}`);
  await page.getByTestId('delete-btn').click();
  await api.patch(`/api/v1/knowledge-bases/${id}`, { name: 'Renamed meanwhile' });
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByTestId('problem')).toHaveAttribute('data-code', 'precondition_failed');
  await expect(page.getByTestId('confirm-delete')).toContainText('Renamed meanwhile');
  await page.getByTestId('confirm-btn').click();
  await expect(page).toHaveURL(/\/knowledge-bases$/);
});

const slugOf = async (api: Api): Promise<string> => (await api.get('/api/v1/me')).organization.slug;

test('settings that two administrators change: each keeps their own, and the same is asked about', async ({
  page,
  api,
}) => {
  const path = `/api/v1/organizations/${await slugOf(api)}`;
  const before = await api.get(path);
  await page.goto('/organization');
  const models = page.getByTestId('models-form');
  await models.getByRole('textbox').first().fill('gpt-4o-mini');

  // Another part: it stays, and nobody is asked.
  await api.patch(path, { moodle: { api_url: 'https://moodle.example.edu' } });
  await models.getByRole('button').click();
  await expect(saved(page)).toBeVisible();
  expect(await api.get(path)).toMatchObject({
    models: ['gpt-4o-mini'],
    moodle: { api_url: 'https://moodle.example.edu' },
  });

  // The same part: both sides.
  await api.patch(path, { models: ['gpt-4o-mini', 'gpt-4o'] });
  await models.getByRole('textbox').first().fill('o3');
  await models.getByRole('button').click();
  const dialog = page.getByTestId('conflict-dialog');
  await expect(field(page, 'models')).toContainText('gpt-4o-mini, gpt-4o');
  await expect(field(page, 'models')).toContainText('o3');
  await check(page);
  await shot(page, 'organization-conflict');
  await page.getByTestId('take-theirs-btn').click();
  await expect(dialog).toBeHidden();
  await expect(models.getByRole('textbox').first()).toHaveValue('gpt-4o-mini\ngpt-4o');

  // A form that was open before shows what it began with, and does not overwrite unasked.
  const moodle = page.getByTestId('moodle-form');
  await expect(moodle.getByRole('textbox').first()).toHaveValue('');
  await moodle.getByRole('textbox').first().fill('https://campus.example.edu');
  await moodle.getByRole('button').last().click();
  await expect(dialog).toContainText('https://moodle.example.edu');
  await page.getByTestId('overwrite-btn').click();
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await api.get(path)).moodle.api_url).toBe('https://campus.example.edu');
  await api.patch(path, { models: before.models, moodle: { api_url: before.moodle.api_url } });
});

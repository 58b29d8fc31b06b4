// Whether an assistant answers at all, and whether other organizations may call it.
import { type Api, check, expect, picture, shot, test } from './support/fixtures';

const metadata = { prompt_processor: 'simple_augment', connector: 'bypass', rag_processor: '' };
const make = (api: Api, name: string): Promise<{ id: number }> =>
  api.post('/api/v1/assistants', { name, prompt_template: '{user_input}', metadata });

test('a paused assistant answers nobody until it is resumed', async ({ page, api }) => {
  const { id } = await make(api, 'Standing tutor');
  await page.goto(`/assistants?q=${encodeURIComponent('Standing tutor')}`);
  const card = page.getByTestId('assistant-card');
  await card.getByTestId('assistant-actions').click();
  await page.getByTestId('action-suspend').click();
  await expect(page.getByRole('dialog')).toContainText('Pause “Standing tutor”?');
  await check(page);
  await shot(page, 'assistant-pause');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect((await api.get(`/api/v1/assistants/${id}`)).disabled).toBe(false);

  await card.getByTestId('assistant-actions').click();
  await page.getByTestId('action-suspend').click();
  await page.getByTestId('confirm-btn').click();
  await expect(card).toContainText('Paused');
  await expect(card.getByTestId('chat-link')).toHaveCount(0);
  await expect(card.getByTestId('edit-link')).toBeVisible();
  const asked = api.post(`/api/v1/assistants/${id}/completions`, { messages: [{ role: 'user', content: 'Hello?' }] });
  await expect(asked).rejects.toThrow(/: 4\d\d /);

  await card.getByTestId('assistant-actions').click();
  await page.getByTestId('action-suspend').click();
  await expect(card.getByText('Paused')).toHaveCount(0);
  await expect(card.getByTestId('chat-link')).toBeVisible();
  expect((await api.get(`/api/v1/assistants/${id}`)).disabled).toBe(false);
});

test('a system administrator opens a published assistant to other organizations', async ({ page, api }) => {
  const { id } = await make(api, 'Everywhere tutor');
  await page.goto(`/assistants?q=${encodeURIComponent('Everywhere tutor')}`);
  await page.getByTestId('assistant-actions').click();
  await page.getByTestId('action-publish').click();
  const dialog = page.getByTestId('publication-dialog');
  await expect(dialog.getByTestId('everywhere')).toHaveCount(0);
  await dialog.getByTestId('publish-btn').click();
  const section = dialog.getByTestId('everywhere');
  await expect(section).toContainText('Only assistants of this organization may call it.');
  await check(page);
  await section.getByTestId('everywhere-btn').click();
  await expect(section).toContainText('Assistants of other organizations may call it.');
  expect((await api.get(`/api/v1/assistants/${id}`)).published_to_all).toBe(true);
  await shot(page, 'publication-everywhere');
  await section.getByTestId('everywhere-btn').click();
  await expect(section).toContainText('Only assistants of this organization may call it.');
  expect((await api.get(`/api/v1/assistants/${id}`)).published_to_all).toBe(false);
});

test('a change that breaks a test is stopped before its publication', async ({ page, api }) => {
  const { id } = await make(api, 'Tested tutor');
  await page.goto(`/assistants/${id}/tests`);
  await page.getByTestId('add-test').click();
  const dialog = page.getByTestId('test-dialog');
  await dialog.getByLabel('Name').fill('Photosynthesis is answered');
  await dialog.getByTestId('test-question').fill('What is photosynthesis?');
  await dialog.getByTestId('add-expectation').selectOption('contains');
  await dialog.getByTestId('expectation').getByLabel('Text').fill('photosynthesis');
  await dialog.getByTestId('save-test').click();
  await expect(page.getByTestId('test-card')).toContainText('Photosynthesis is answered');
  await page.getByTestId('gate-required').check();
  await page.getByTestId('run-tests').click();
  await expect(page.getByTestId('test-standing')).toHaveText('1 of 1 tests passed.');
  await check(page);
  await shot(page, 'assistant-tests');

  await page.getByRole('link', { name: 'Show the run' }).click();
  await page.getByTestId('make-test').click();
  await expect(dialog.getByTestId('test-question')).toHaveValue('What is photosynthesis?');
  await expect(dialog.getByTestId('expectation')).toContainText('In time');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // The connector answers with the prompt, from which the question is missing now.
  await api.patch(`/api/v1/assistants/${id}`, { prompt_template: 'Say hello.' });
  await page.getByTestId('run-tests').click();
  await expect(page.getByTestId('test-standing')).toHaveText('0 of 1 tests passed.');
  await page.getByTestId('compare-tests').click();
  await expect(page.getByTestId('test-diff')).toContainText('Changed in between: Prompt template');
  await expect(page.getByTestId('test-diff')).toContainText('Passed → Failed');
  await picture(page, 'test-comparison');
  await check(page);
  await page.keyboard.press('Escape');
  await page.getByTestId('run-tests').click();
  await page.getByTestId('earlier-run').selectOption({ index: 1 });
  await page.getByTestId('compare-tests').click();
  await expect(page.getByTestId('test-diff')).toContainText('Passed → Failed');

  await page.goto(`/assistants?q=${encodeURIComponent('Tested tutor')}`);
  await page.getByTestId('assistant-actions').click();
  await page.getByTestId('action-publish').click();
  await page.getByTestId('publish-btn').click();
  const publication = page.getByTestId('publication-dialog');
  await expect(publication.getByTestId('problem')).toContainText('Photosynthesis is answered');
  expect((await api.get(`/api/v1/assistants/${id}`)).published).toBe(false);
  await check(page);
  await picture(page, 'test-gate');
  await publication.getByTestId('override-reason').fill('The exam begins.');
  await publication.getByTestId('override-btn').click();
  await expect(publication.getByTestId('publish-btn')).toHaveText('Unpublish');
  expect((await api.get(`/api/v1/assistants/${id}`)).published).toBe(true);
});

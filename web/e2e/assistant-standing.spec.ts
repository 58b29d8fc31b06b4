// Whether an assistant answers at all, and whether other organizations may call it.
import { type Api, check, expect, shot, test } from './support/fixtures';

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

test('who runs the service opens a published assistant to other organizations', async ({ page, api }) => {
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

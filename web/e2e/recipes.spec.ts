// A teacher begins with a recipe: material in place, an assistant at the end, nothing half-made.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { check, expect, picture, shot, test } from './support/fixtures';

const LESSON = readFileSync(join(import.meta.dirname, '../../test/fixtures/documents/lesson.pdf'));

/** Open by itself where there is nothing to choose yet. */
async function openUpload(material: Locator): Promise<void> {
  const button = material.getByTestId('choice-upload');
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

// Nothing but the page is touched.
test('a teacher makes an assistant from a recipe and a PDF, asks it, publishes it and hands out its link', async ({
  page,
  service,
}) => {
  await page.goto('/assistants');
  await page.getByTestId('create-link').click();
  await expect(page.getByTestId('recipe')).toHaveCount(6);
  await check(page);
  await shot(page, 'recipes');
  await picture(page, 'recipes');
  await page.getByTestId('recipe').first().getByRole('link').click();

  await expect(page.getByTestId('recipe-make')).toHaveAttribute('aria-disabled', 'true');
  await openUpload(page.getByTestId('material'));
  await page.getByTestId('upload-name').fill('Transport in cells');
  await page
    .getByTestId('upload-box')
    .locator('input[type=file]')
    .setInputFiles({ name: 'lesson.pdf', mimeType: 'application/pdf', buffer: LESSON });
  await expect(page.getByTestId('upload-read')).toContainText(/^\s*1/, { timeout: 60_000 });
  await expect(page.getByRole('radio', { name: /Transport in cells/ })).toBeChecked();
  await check(page);
  await shot(page, 'recipe');

  await page.getByTestId('recipe-name').fill('Cells for beginners');
  await page.getByTestId('recipe-make').click();
  await expect(page).toHaveURL(/\/playground\/\d+/);
  // The title of the PDF, which its passages have.
  await expect(page.getByTestId('question-input')).toHaveValue(
    'What does the course material say about “Transport in cells”?',
  );
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('run').last()).toHaveAttribute('data-status', 'completed');
  await expect(page.getByTestId('waterfall').getByText('Transport in cells')).toBeVisible();
  await expect(page.getByTestId('tab-sources')).toContainText(/[1-9]/);

  await page.getByTestId('publish-first-btn').click();
  const dialog = page.getByTestId('publication-dialog');
  await dialog.getByTestId('publish-btn').click();
  const link = dialog.getByTestId('chat-link-value');
  const id = /playground\/(\d+)/.exec(page.url())?.[1];
  await expect(link).toHaveText(`${service.url}/chat/${id}`);
  await expect(dialog.getByText('Published', { exact: true })).toBeVisible();
  await check(page);
  await shot(page, 'recipe-published');
  await picture(page, 'publish');

  await page.goto((await link.textContent()) ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cells for beginners');
  await page.getByRole('button', { name: 'What does the course material say about “Transport in cells”?' }).click();
  await expect(page.getByTestId('reply')).toHaveAttribute('data-status', 'completed');

  await page.goto('/runs');
  await expect(page.getByTestId('run-row').nth(1)).toBeVisible();
  await picture(page, 'runs');
  // The newest is first; other tests have runs, too.
  await page.getByTestId('run-row').first().getByRole('link').click();
  await expect(page.getByTestId('answer')).toBeVisible();
  await picture(page, 'run');
});

test('a recipe with a rubric can use the sample, and a tool can be renamed', async ({ page, api }) => {
  await page.goto('/assistants/new/essay-feedback');
  await page.getByTestId('copy-sample').click();
  await expect(page.getByRole('radio', { name: /\(sample\)/ })).toBeChecked();
  const file = page.getByTestId('material').filter({ has: page.getByTestId('choice-file') });
  await openUpload(file);
  await file
    .locator('input[type=file]')
    .setInputFiles({ name: 'assignment.md', mimeType: 'text/markdown', buffer: Buffer.from('# Write an essay') });
  await expect(page.getByRole('radio', { name: /assignment\.md/ })).toBeChecked();
  await page.getByTestId('recipe-make').click();
  await expect(page).toHaveURL(/\/playground\/\d+/);

  const id = Number(/playground\/(\d+)/.exec(page.url())?.[1]);
  await page.goto(`/multi-tool-assistants/${id}`);
  const card = page.getByTestId('tool-card').nth(1);
  await expect(card.getByRole('heading')).toContainText('assignment.md');
  await card.getByTestId('tool-configure').click();
  await page.getByTestId('tool-label').fill('The assignment');
  await page.getByTestId('save-tool').click();
  await expect(card.getByRole('heading')).toContainText('The assignment');
  await picture(page, 'editor', page.getByTestId('tools-manager'));
  await page.getByTestId('save-btn').click();
  await expect
    .poll(async () => (await api.get(`/api/v1/assistants/${id}`)).metadata.tools[1].label)
    .toBe('The assignment');
});

test('a recipe whose feature is switched off says so', async ({ page, api }) => {
  await api.patch('/api/v1/organizations/default', { features: { planned: false } });
  try {
    await page.goto('/assistants/new');
    const desk = page.locator('[data-recipe="research-desk"]');
    await expect(desk).toContainText('Switched off');
    await expect(desk.getByRole('link')).toHaveCount(0);
    await check(page);
  } finally {
    await api.patch('/api/v1/organizations/default', { features: { planned: true } });
  }
});

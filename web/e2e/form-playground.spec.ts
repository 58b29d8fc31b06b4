// The playground beside a form: it asks what is stored, so it offers to store what is not.
import { type Api, check, expect, shot, test } from './support/fixtures';

const made = (api: Api, name: string, rest: object = {}): Promise<{ id: number }> =>
  api.post('/api/v1/assistants', {
    name,
    prompt_template: 'Asked: {user_input}',
    metadata: { _format_version: 3, assistant_type: 'multi_tool', connector: 'bypass', tools: [] },
    ...rest,
  });

test('the pane opens beside the form; with unsaved changes it offers to save and ask, and does', async ({
  page,
  api,
}) => {
  const { id } = await made(api, 'Pane: beside');
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tools-manager')).toBeVisible();
  await expect(page.getByTestId('playground-pane')).toHaveCount(0);
  await page.getByTestId('playground-btn').click();
  const pane = page.getByTestId('playground-pane');
  await expect(pane.getByTestId('question-input')).toBeVisible();
  await expect(page.getByTestId('playground-btn')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByTestId('name-input')).toBeVisible();
  await expect(pane.getByTestId('unsaved-note')).toHaveCount(0);
  await pane.getByTestId('question-input').fill('What is osmosis?');
  await expect(pane.getByTestId('ask-btn')).toHaveText(/Ask/);

  await page.getByTestId('system-prompt-input').fill('Answer in one word.');
  await expect(pane.getByTestId('unsaved-note')).toBeVisible();
  await expect(pane.getByTestId('ask-btn')).toHaveText(/Save and ask/);
  await check(page);
  await shot(page, 'form-playground');
  await pane.getByTestId('ask-btn').click();
  await expect(pane.getByTestId('run')).toHaveAttribute('data-status', 'completed');
  // The answer of `bypass` is what a model would have got: the new system prompt.
  await expect(pane.getByTestId('answer')).toContainText('Answer in one word.');
  await expect(page.getByTestId('dirty-badge')).toHaveCount(0);
  await expect(pane.getByTestId('unsaved-note')).toHaveCount(0);
  await expect(pane.getByTestId('question-input')).toHaveValue('');
  const saved = await api.get(`/api/v1/assistants/${id}`);
  expect([saved.system_prompt, saved.version]).toEqual(['Answer in one word.', 2]);

  await page.getByTestId('playground-btn').click();
  await expect(pane).toHaveCount(0);
});

test('what cannot be saved is not asked either, and the question stays', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: refused');
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('playground-btn').click();
  const pane = page.getByTestId('playground-pane');
  await pane.getByTestId('question-input').fill('Keep me');
  await page.getByTestId('name-input').fill('');
  await pane.getByTestId('ask-btn').click();
  await expect(page.getByTestId('name-input')).toBeFocused();
  await expect(pane.getByTestId('question-input')).toHaveValue('Keep me');
  await expect(pane.getByTestId('ask-btn')).toBeEnabled();
  await expect(pane.getByTestId('run')).toHaveCount(0);
  expect((await api.get(`/api/v1/runs?assistant_id=${id}`)).items).toEqual([]);
});

test('on a phone one of the two is shown; a new form says what comes first', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: phone');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('playground-btn').click();
  await expect(page.getByTestId('question-input')).toBeVisible();
  await expect(page.getByTestId('name-input')).toBeHidden();
  const panes = page.getByRole('group', { name: 'View', exact: true });
  await panes.getByRole('button', { name: 'Form' }).click();
  await expect(page.getByTestId('name-input')).toBeVisible();
  await expect(page.getByTestId('question-input')).toBeHidden();
  await check(page);

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/multi-tool-assistants/create');
  // Any sign of a reader brings the whole form.
  await page.getByTestId('name-input').focus();
  await page.getByTestId('playground-btn').click();
  await expect(page.getByTestId('playground-pane')).toContainText('Save the assistant first');
});

test('the classic form keeps whether pictures are made, on and off', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: pictures', {
    metadata: { prompt_processor: 'simple_augment', rag_processor: 'no_rag', connector: 'banana_img' },
  });
  await page.goto(`/assistants/${id}`);
  const toggle = page.getByTestId('image-toggle');
  for (const on of [true, false]) {
    await toggle.setChecked(on);
    await expect(page.getByTestId('dirty-badge')).toBeVisible();
    await page.getByTestId('save-btn').click();
    await expect(page.getByTestId('dirty-badge')).toHaveCount(0);
    const { metadata } = await api.get(`/api/v1/assistants/${id}`);
    expect(metadata.capabilities?.image_generation === true).toBe(on);
    await page.reload();
    await expect(toggle).toBeChecked({ checked: on });
  }

  // A provider that draws nothing offers nothing of the kind.
  await page.getByTestId('connector-select').selectOption('bypass');
  await expect(toggle).toHaveCount(0);
});

test('the trail leads back to the list of its type, and asks when something is unsaved', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: trail');
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('name-input').fill('Pane: trail, changed');
  await page.getByTestId('breadcrumbs').getByRole('link').click();
  await expect(page.getByTestId('leave-dialog')).toBeVisible();
  await page.getByTestId('leave-btn').click();
  await expect(page).toHaveURL(/\/multi-tool-assistants$/);
  await expect(page.getByTestId('search-input')).toBeVisible();
  expect((await api.get(`/api/v1/assistants/${id}`)).name).toBe('Pane: trail');

  const classic = await made(api, 'Pane: classic trail', { metadata: { connector: 'bypass' } });
  await page.goto(`/assistants/${classic.id}`);
  await page.getByTestId('breadcrumbs').getByRole('link').click();
  await expect(page).toHaveURL(/\/assistants$/);
});

// The playground beside a form runs what is on the screen; publishing is a step of its own.
import { type Api, check, expect, shot, test } from './support/fixtures';

const made = (api: Api, name: string, rest: object = {}): Promise<{ id: number }> =>
  api.post('/api/v1/assistants', {
    name,
    prompt_template: 'Asked: {user_input}',
    metadata: { _format_version: 3, assistant_type: 'multi_tool', connector: 'bypass', tools: [] },
    ...rest,
  });

test('the pane opens beside the form and runs what is on the screen, without saving it', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: beside');
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tools-manager')).toBeVisible();
  const pane = page.getByTestId('playground-pane');
  await expect(pane.getByTestId('question-input')).toBeVisible();
  await expect(page.getByTestId('playground-btn')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByTestId('name-input')).toBeVisible();

  await page.getByTestId('system-prompt-input').fill('Answer in one word.');
  await pane.getByTestId('question-input').fill('What is osmosis?');
  await check(page);
  await shot(page, 'form-playground');
  await pane.getByTestId('ask-btn').click();
  await expect(pane.getByTestId('run')).toHaveAttribute('data-status', 'completed');
  // The answer of `bypass` is what a model would have got: the new system prompt.
  await expect(pane.getByTestId('sent-messages')).toContainText('Answer in one word.');
  await expect(pane.getByTestId('question-input')).toHaveValue('');
  await expect(page.getByTestId('dirty-badge')).toBeVisible();
  expect((await api.get(`/api/v1/assistants/${id}`)).version).toBe(1);

  // The conversation goes on with the next draft.
  await page.getByTestId('system-prompt-input').fill('Answer in two words.');
  await pane.getByTestId('question-input').fill('And diffusion?');
  await pane.getByTestId('ask-btn').click();
  await expect(pane.getByTestId('sent-messages').last()).toContainText('Answer in two words.');
  await expect(pane.getByTestId('sent-messages').last()).toContainText('What is osmosis?');
  expect((await api.get(`/api/v1/assistants/${id}`)).version).toBe(1);

  await page.getByTestId('playground-btn').click();
  await expect(pane).toHaveCount(0);
  await page.getByTestId('playground-btn').click();
  await expect(pane).toBeVisible();
});

test('one tool runs alone on its card, and its last result stays beside it', async ({ page, api }) => {
  const files = await api.upload('/api/v1/files', { 'pane/osmosis.md': 'Osmosis moves water.' });
  const config = { file_path: files.items[0].path };
  const { id } = await made(api, 'Pane: one tool', {
    prompt_template: '{1_file} {user_input}',
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      connector: 'bypass',
      tools: [{ plugin: 'single_file_rag', placeholder: '1_file', enabled: true, config }],
    },
  });
  await page.goto(`/multi-tool-assistants/${id}`);
  const trial = page.getByTestId('tool-trial');
  await trial.locator('summary').click();
  await trial.getByLabel('Question for this tool').fill('What is osmosis?');
  await trial.getByRole('button', { name: 'Run the tool' }).click();
  await expect(trial.getByRole('group', { name: 'Result now' })).toContainText('Osmosis moves water.');
  await trial.getByRole('button', { name: 'Run the tool' }).click();
  await expect(trial.getByRole('group', { name: 'Result before' })).toContainText('Osmosis moves water.');
  await check(page);
  await shot(page, 'tool-alone');

  await page.reload();
  await trial.locator('summary').click();
  await expect(trial.getByRole('group', { name: 'Last result' })).toContainText('Osmosis moves water.');
  await expect(trial.getByLabel('Question for this tool')).toHaveValue('What is osmosis?');
});

test('changes of a published assistant are told in words, published and taken back', async ({ page, api }) => {
  const { id } = await made(api, 'Pane: live');
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('publish-first-btn')).toBeVisible();
  await api.put(`/api/v1/assistants/${id}/publication`, {});
  await page.reload();
  await expect(page.getByTestId('live-badge')).toBeVisible();
  await page.getByTestId('name-input').fill('Pane: live, new');
  await page.getByTestId('save-btn').click();
  await page.getByTestId('changes-btn').click();
  const dialog = page.getByTestId('live-changes-dialog');
  await expect(dialog.getByTestId('changes')).toContainText('Name: Pane: live → Pane: live, new');
  await check(page);
  await shot(page, 'live-changes');
  await dialog.getByTestId('publish-changes-btn').click();
  await expect(page.getByTestId('live-badge')).toBeVisible();
  expect(await api.get(`/api/v1/assistants/${id}`)).toMatchObject({ live_version: 2, changed_since_live: false });

  await page.getByTestId('name-input').fill('Pane: a mistake');
  await page.getByTestId('save-btn').click();
  await page.getByTestId('changes-btn').click();
  await dialog.getByTestId('back-to-live-btn').click();
  await expect(page.getByTestId('live-badge')).toBeVisible();
  await expect(page.getByTestId('name-input')).toHaveValue('Pane: live, new');
});

test('a phone shows the form or the playground; a new form can be asked as well', async ({ page, api }) => {
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
  await page.getByTestId('question-input').fill('Hello');
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('run')).toHaveAttribute('data-status', 'completed');
  await expect(page).toHaveURL(/\/create$/);

  // Another form knows nothing of that trial; saved, the form hands its trial to the assistant.
  await page.goto('/assistants/create');
  await expect(page.getByTestId('ask-btn')).toBeVisible();
  await expect(page.getByTestId('run')).toHaveCount(0);
  await page.getByTestId('name-input').fill('Pane: tried before it was saved');
  await page.getByTestId('question-input').fill('Tried before');
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('run')).toHaveAttribute('data-status', 'completed');
  await expect(page.getByTestId('playground')).not.toContainText('Hello');
  await page.getByTestId('save-btn').click();
  await expect(page).toHaveURL(/\/assistants\/\d+$/);
  await expect(page.getByTestId('playground')).toContainText('Tried before');
  await expect(page.getByTestId('run')).toHaveAttribute('data-status', 'completed');
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

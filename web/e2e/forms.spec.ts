// Forms and views of both types: what is saved, what stands against it, and that nobody's work is lost.
import { type Api, check, expect, shot, signIn, test } from './support/fixtures';

const multiTool = (api: Api, name: string, rest: object = {}): Promise<{ id: number; version: number }> =>
  api.post('/api/v1/assistants', {
    name,
    prompt_template: 'Material: {1_context}\n\n{user_input}',
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      connector: 'bypass',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [], top_k: 3 } }],
      of_another_client: { kept: true },
    },
    ...rest,
  });
const SAVED = '.success-message';

test('a save keeps what the form does not know, and Ctrl+S saves', async ({ page, api }) => {
  const { id } = await multiTool(api, 'Form: kept');
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('description-input').fill('Described');
  await page.getByTestId('vision-toggle').check();
  await expect(page.getByTestId('dirty-badge')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.locator(SAVED)).toBeVisible();
  await expect(page.getByTestId('dirty-badge')).toHaveCount(0);
  const { description, metadata, version } = await api.get(`/api/v1/assistants/${id}`);
  expect(description).toBe('Described');
  expect(version).toBe(2);
  expect(metadata).toMatchObject({ of_another_client: { kept: true }, capabilities: { vision: true } });
  expect(metadata.tools[0].config).toEqual({ collections: [], top_k: 3 });
});

test('the checklist counts, explains and leads to the place', async ({ page, api }) => {
  const { id } = await multiTool(api, 'Form: checklist', { prompt_template: '{user_input}' });
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('checklist-btn')).toContainText('2');
  await page.getByTestId('checklist-btn').click();
  const list = page.getByTestId('checklist');
  await expect(list).toContainText('{1_context} is not in the template.');
  await check(page);
  await shot(page, 'form-checklist');
  await list.locator('[data-code="tool.config_incomplete"]').getByRole('button').click();
  await expect(page.getByTestId('tool-configure')).toBeFocused();
  await page.getByTestId('name-input').fill('');
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('name-input')).toBeFocused();
  await expect(page.getByTestId('name-input')).toHaveAccessibleDescription('Give the assistant a name.');
});

test('the later one of two tabs sees both versions and decides', async ({ page, api }) => {
  const { id } = await multiTool(api, 'Form: two tabs');
  const save = async (name: string): Promise<void> => {
    await page.getByTestId('name-input').fill(name);
    await page.getByTestId('system-prompt-input').fill('Be brief.\nBe kind.');
    await api.patch(`/api/v1/assistants/${id}`, { name: `${name}, theirs`, system_prompt: 'Be brief.\nBe exact.' });
    await page.getByTestId('save-btn').click();
    await expect(page.getByTestId('conflict-dialog')).toBeVisible();
  };
  await page.goto(`/multi-tool-assistants/${id}`);

  await save('First');
  const paths = page.getByTestId('conflict-field');
  await expect(paths).toHaveCount(2);
  await expect(page.getByTestId('conflict-dialog')).toContainText('First, theirs');
  await expect(page.getByTestId('conflict-dialog')).toContainText('Be exact.');
  await check(page);
  await shot(page, 'form-conflict');
  await page.getByTestId('keep-editing-btn').click();
  await expect(page.getByTestId('name-input')).toHaveValue('First');
  await page.getByTestId('save-btn').click();
  await page.getByTestId('take-theirs-btn').click();
  await expect(page.getByTestId('name-input')).toHaveValue('First, theirs');
  await expect(page.getByTestId('dirty-badge')).toHaveCount(0);

  await save('Second');
  await page.getByTestId('overwrite-btn').click();
  await expect(page.locator(SAVED)).toBeVisible();
  expect(await api.get(`/api/v1/assistants/${id}`)).toMatchObject({ name: 'Second', version: 4 });
});

test('unsaved work asks before it is left, and comes back after a reload', async ({ page, api }) => {
  const { id } = await multiTool(api, 'Form: draft');
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('name-input').fill('Form: draft, changed');
  await page.getByTestId('view-link').click();
  await expect(page.getByTestId('leave-dialog')).toBeVisible();
  await check(page);
  await shot(page, 'leave-dialog');
  await page.getByTestId('stay-btn').click();
  await expect(page.getByTestId('name-input')).toHaveValue('Form: draft, changed');

  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByTestId('draft-notice')).toBeVisible();
  await check(page);
  await page.getByTestId('restore-draft-btn').click();
  await expect(page.getByTestId('name-input')).toHaveValue('Form: draft, changed');

  await page.getByTestId('view-link').click();
  await page.getByTestId('save-leave-btn').click();
  await expect(page.getByTestId('assistant-view')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Form: draft, changed');
  await page.getByTestId('edit-link').click();
  await expect(page.getByTestId('tools-manager')).toBeVisible();
  await expect(page.getByTestId('draft-notice')).toHaveCount(0);
});

test('offline, a save says so and loses nothing', async ({ page, api, context }) => {
  const { id } = await multiTool(api, 'Form: offline');
  await page.goto(`/multi-tool-assistants/${id}`);
  await page.getByTestId('name-input').fill('Form: offline, changed');
  await expect(page.getByTestId('question-input')).toBeVisible();
  await context.setOffline(true);
  await page.getByTestId('save-btn').click();
  // A part of the page that was still loading has a problem of its own.
  const problem = page.locator('[data-testid="problem"][data-code="offline"]:not([data-testid="playground"] *)');
  await expect(problem).toBeVisible();
  await expect(page.getByTestId('dirty-badge')).toBeVisible();
  await context.setOffline(false);
  await page.getByTestId('save-btn').click();
  await expect(page.locator(SAVED)).toBeVisible();
  await expect(problem).toHaveCount(0);
});

test('the classic form has its parts, shows a refusal at its field, and converts', async ({ page, api }) => {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Form: statistics' });
  await page.goto('/assistants/create');
  await page.getByTestId('name-input').fill('Form: classic');
  await page.getByTestId('rag-processor-select').selectOption('simple_rag');
  await page.getByTestId('choice-knowledge-base').getByLabel('Form: statistics').check();
  await page.getByTestId('prompt-processor-select').selectOption('moodle_augment');
  await page.getByTestId('prompt-template').locator('summary').first().click();
  await expect(page.getByTestId('template-editor').getByText('{moodle_user}').first()).toBeVisible();
  await page.getByTestId('prompt-processor-select').selectOption('simple_augment');
  await page.getByTestId('connector-select').selectOption('bypass');
  await page.getByTestId('top-k-input').fill('500');
  await page.getByTestId('save-btn').click();
  const topK = page.getByTestId('top-k-input');
  await expect(topK).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByTestId('problem')).toContainText('RAG_Top_k');
  await topK.fill('5');
  await expect(topK).not.toHaveAttribute('aria-invalid', 'true');
  await page.getByTestId('save-btn').click();
  await expect(page.locator(SAVED)).toBeVisible();
  await expect(page).toHaveURL(/\/assistants\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  const saved = await api.get(`/api/v1/assistants/${id}`);
  expect(saved).toMatchObject({ type: 'classic', RAG_collections: [base.id], RAG_Top_k: 5 });
  await expect(page.getByTestId('rag-processor-select')).toHaveValue('simple_rag');
  await check(page);

  await page.getByTestId('convert-btn').click();
  await expect(page.getByRole('dialog')).toContainText('1_context');
  await page.getByRole('dialog').getByRole('button', { name: 'Convert', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/multi-tool-assistants/${id}`));
  await expect(page.getByTestId('tool-card')).toHaveCount(1);
});

test('prompts are inserted and taken back, and kept as a template', async ({ page }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('system-prompt-input').fill('My own words.');
  await page.getByTestId('insert-template-btn').click();
  await page.getByRole('button', { name: 'Insert “Essay feedback”' }).click();
  await expect(page.getByTestId('system-prompt-input')).toHaveValue(/feedback on student essays/);
  await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await expect(page.getByTestId('system-prompt-input')).toHaveValue('My own words.');
  await page.getByTestId('save-template-btn').click();
  const dialog = page.getByTestId('keep-template-dialog');
  await dialog.getByLabel('Name').fill('Form: my prompts');
  await check(page);
  await shot(page, 'keep-template');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator(SAVED)).toContainText('Form: my prompts');
});

test('the system prompt is taken from a template by itself', async ({ page, api }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Form: half a template');
  await page.getByTestId('insert-template-btn').click();
  await page.getByTestId('insert-system_prompt').check();
  await check(page);
  await shot(page, 'insert-template');
  await page.getByRole('button', { name: 'Insert “Essay feedback”' }).click();
  await expect(page.getByTestId('system-prompt-input')).toHaveValue(/feedback on student essays/);
  await page.getByTestId('save-btn').click();
  await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+$/);
  const id = Number(/(\d+)$/.exec(page.url())?.[1]);
  expect((await api.get(`/api/v1/assistants/${id}`)).prompt_template).toBe('{user_input}');
});

test('the view tells the configuration, the pipeline and the figures; members see what is theirs', async ({
  page,
  api,
  service,
  browser,
}) => {
  const { id } = await multiTool(api, 'Form: view');
  await api.post(`/api/v1/assistants/${id}/completions`, { messages: [{ role: 'user', content: 'What is osmosis?' }] });
  await api.put(`/api/v1/assistants/${id}/publication`).catch(() => undefined);
  await page.goto(`/multi-tool-assistants/${id}?view`);
  await expect(page.getByTestId('pipeline-summary')).toContainText('{1_context}');
  await expect(page.getByTestId('statistics')).toContainText('Runs');
  await expect(page.getByTestId('template-text').locator('mark')).toHaveText(['{1_context}', '{user_input}']);
  await check(page);
  await shot(page, 'multi-tool-view');

  const open = await api.post('/api/v1/assistants', { name: 'Form: for all', metadata: { connector: 'bypass' } });
  await api.put(`/api/v1/assistants/${open.id}/publication`);
  const email = 'form-member@example.org';
  await api.post('/api/v1/organizations/default/members', { email, name: 'A member', role: 'member' });
  const { key } = await api.post('/api/v1/api-keys', { name: 'Form', scopes: ['chat', 'read'], owner: email });
  const context = await browser.newContext({ baseURL: service.url, storageState: { cookies: [], origins: [] } });
  await signIn(context, service.url, key);
  const theirs = await context.newPage();
  await theirs.goto(`/assistants/${open.id}`);
  // People who may only ask have the chat.
  await expect(theirs).toHaveURL(new RegExp(`/chat/${open.id}$`));
  // Nothing answers them here: the prompt is for those who edit.
  await expect(theirs.getByTestId('no-answers')).toBeVisible();
  await context.close();
});

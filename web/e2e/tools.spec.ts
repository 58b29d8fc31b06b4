// Panels of tools, choices of content, rules of tools, strategies and their diagrams.
import type { Page } from '@playwright/test';
import { type Api, check, expect, shot, test } from './support/fixtures';

const tool = (plugin: string, placeholder: string, more: object = {}): object => ({
  plugin,
  placeholder,
  enabled: true,
  config: {},
  ...more,
});

async function assistant(api: Api, strategy: string, tools: readonly object[]): Promise<number> {
  const slots = tools.map((entry) => `{${(entry as { placeholder: string }).placeholder}}`).join('\n');
  const { id } = await api.post('/api/v1/assistants', {
    name: `Panels ${strategy}`,
    prompt_template: `${slots}\n{user_input}`,
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: strategy,
      connector: 'bypass',
      tools,
    },
  });
  return id;
}

/** The form of an assistant, ready. */
async function edit(page: Page, id: number): Promise<void> {
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('save-btn')).toBeVisible();
  await expect(page.getByTestId('strategy-line')).toBeVisible();
}

const configure = async (page: Page, n: number): Promise<void> => {
  await page.getByTestId('tool-card').nth(n).getByTestId('tool-configure').click();
  await expect(page.getByTestId('tool-dialog')).toBeVisible();
};

async function save(page: Page): Promise<void> {
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message').first()).toBeVisible();
}

test('a knowledge base is chosen with its count of documents, and settings are checked while they change', async ({
  page,
  api,
}) => {
  const name = `Plants ${crypto.randomUUID()}`;
  const base = await api.post('/api/v1/knowledge-bases', { name });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, { 'a.md': '# Leaves\n\nGreen.', 'b.md': '# Roots' });
  const id = await assistant(api, 'sequential', [tool('simple_rag', '1_context', { config: { collections: [] } })]);
  await edit(page, id);
  await configure(page, 0);
  const row = page.getByTestId('choice-knowledge-base').locator('label', { hasText: name });
  await expect(row).toContainText('2 documents');
  await row.locator('input').check();

  const passages = page.getByLabel('Passages', { exact: true });
  await passages.fill('21');
  await expect(page.getByTestId('tool-dialog').getByText('At most 20.')).toBeVisible();
  await passages.fill('7');
  await expect(page.getByTestId('tool-dialog').getByText('At most 20.')).toBeHidden();
  await check(page);
  await shot(page, 'tool-simple-rag');

  await page.getByTestId('save-tool').click();
  await expect(page.getByTestId('tool-card')).toContainText(name);
  await save(page);
  const { metadata } = await api.get(`/api/v1/assistants/${id}`);
  expect(metadata.tools[0].config).toMatchObject({ collections: [base.id], top_k: 7 });
});

test('a rubric and a file are chosen and shown before they are used', async ({ page, api }) => {
  const level = (score: number): object => ({
    id: `l${score}`,
    score,
    label: `L${score}`,
    description: `Level ${score}`,
  });
  await api.post('/api/v1/rubrics', {
    rubricId: 'panel-rubric-one',
    title: 'Rubric of the panel',
    description: 'For a test',
    metadata: {
      subject: 'Biology',
      gradeLevel: '1',
      createdAt: '2026-01-15T09:00:00Z',
      modifiedAt: '2026-01-15T09:00:00Z',
    },
    criteria: [
      { id: 'c1', name: 'Clarity', description: 'Is it clear', weight: 100, order: 0, levels: [level(2), level(1)] },
    ],
    scoringType: 'points',
    maxScore: 10,
  });
  await api.upload('/api/v1/files', {
    'panel-notes.txt': 'Notes that the panel shows.',
    'panel-page.html': '<!doctype html><p>A page without its <b>marks</b>.</p>',
    'panel-scan.pdf': '%PDF-1.4 and nothing else',
  });
  const id = await assistant(api, 'sequential', [
    tool('rubric_rag', '1_rubric', { config: { rubric_id: null } }),
    tool('single_file_rag', '2_file', { config: { file_path: null } }),
  ]);
  await edit(page, id);
  await configure(page, 0);
  await page.getByTestId('choice-rubric').locator('label', { hasText: 'Rubric of the panel' }).locator('input').check();
  await expect(page.getByTestId('rubric-preview').getByRole('rowheader', { name: /Clarity/ })).toBeVisible();
  await page.getByTestId('rubric-preview').getByRole('button', { name: 'As the model reads it' }).click();
  await expect(page.getByTestId('rubric-preview').locator('pre')).toContainText('Clarity');
  await check(page);
  await shot(page, 'tool-rubric');
  await page.getByTestId('save-tool').click();

  await configure(page, 1);
  await page.getByTestId('choice-file').locator('label', { hasText: 'panel-notes.txt' }).locator('input').check();
  await expect(page.getByTestId('file-preview')).toContainText('Notes that the panel shows.');
  await check(page);
  await shot(page, 'tool-file');
  await page.getByTestId('choice-file').locator('label', { hasText: 'panel-page.html' }).locator('input').check();
  await expect(page.getByTestId('file-preview').locator('pre')).toHaveText('A page without its **marks**.');
  await page.getByTestId('choice-file').locator('label', { hasText: 'panel-scan.pdf' }).locator('input').check();
  await expect(page.getByTestId('file-unreadable')).toContainText('The file is damaged or cut short');
  await page.getByTestId('choice-file').locator('label', { hasText: 'panel-notes.txt' }).locator('input').check();
  await page.getByTestId('save-tool').click();
  await save(page);
  const { metadata } = await api.get(`/api/v1/assistants/${id}`);
  expect(metadata.tools[1].config.file_path).toBe('panel-notes.txt');
});

test('tools wait for others under conditions, and the diagram follows', async ({ page, api }) => {
  const id = await assistant(api, 'sequential', [
    tool('simple_rag', '1_context', { config: { collections: [] } }),
    tool('simple_rag', '2_context', { config: { collections: [] }, depends_on: ['1_context'] }),
    tool('synthesis', '3_synthesis'),
  ]);
  await edit(page, id);
  await page.getByTestId('strategy-change').click();
  await page.getByTestId('strategy-dependency').check();
  await expect(page.getByTestId('strategy-line')).toContainText('By dependency');
  // The card of a tool shows the tools that it waits for; they are changed there.
  const second = page.getByTestId('tool-card').nth(1);
  await expect(second.getByTestId('tool-card-rules')).toContainText('Waits for: Knowledge Base RAG {1_context}');
  await expect(page.getByTestId('flow-diagram')).toHaveAttribute('data-strategy', 'dependency');
  await second.getByTestId('card-when').click();
  await second.getByTestId('add-condition').click();
  await expect(second.getByTestId('condition-missing')).toContainText('Enter a text');
  await expect(second.getByTestId('tool-card-rules')).toContainText('Runs only if: always');
  await second.getByLabel('Text', { exact: true }).fill('leaf');
  await expect(second.getByTestId('condition-missing')).toHaveCount(0);
  await expect(second.getByTestId('tool-card-rules')).toContainText('The question contains “leaf”');
  await check(page);
  await shot(page, 'rules-on-cards');
  await second.getByTestId('card-when').click();
  await configure(page, 2);
  await page.getByTestId('depends-on').getByLabel('{2_context}').check();
  await page.getByTestId('add-condition').click();
  await page.getByLabel('Compare', { exact: true }).selectOption('result');
  await page.getByTestId('condition-editor').getByLabel('Tool', { exact: true }).selectOption('2_context');
  await check(page);
  await shot(page, 'tool-rules');
  await page.getByTestId('save-tool').click();

  await configure(page, 0);
  await expect(page.getByTestId('depends-on').getByLabel('{3_synthesis}')).toBeDisabled();
  await page.keyboard.press('Escape');
  await save(page);
  const { metadata } = await api.get(`/api/v1/assistants/${id}`);
  expect(metadata.orchestrator).toBe('dependency');
  expect(metadata.tools[1].when).toEqual({ in: ['leaf', { var: 'user_input' }] });
  expect(metadata.tools[2]).toMatchObject({
    depends_on: ['2_context'],
    when: { '>': [{ var: 'results.2_context.chars' }, 0] },
  });
});

test('the planned strategy keeps its settings and shows the plan for a sample question', async ({ page, api }) => {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Cells' });
  const id = await assistant(api, 'planned', [
    tool('simple_rag', '1_context', { config: { collections: [base.id] } }),
    tool('synthesis', '2_synthesis'),
  ]);
  await edit(page, id);
  await page.getByTestId('strategy-change').click();
  await page.getByText('Settings of “Planned”').click();
  await page.getByLabel('Maximum steps').fill('5');
  await page.getByTestId('plan-question').fill('How do mitosis and meiosis differ?');
  await page.getByTestId('plan-show').click();
  await expect(page.getByTestId('plan-step').first()).toContainText('Cells');
  // At the top nothing stands below the bar that stays in sight.
  await page.evaluate(() => scrollTo(0, 0));
  await check(page);
  await shot(page, 'plan-preview');
  await save(page);
  const { metadata } = await api.get(`/api/v1/assistants/${id}`);
  expect(metadata.orchestrator_options).toMatchObject({ max_steps: 5 });
});

// The four scenarios of the specification of multi-tool assistants (§8.2), with its test ids.
import { expect, test } from './support/fixtures';

const multiTool = (tools: readonly unknown[] = []): object => ({
  _format_version: 3,
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'bypass',
  tools,
});

test('can create a multi-tool assistant with multiple tools @smoke', async ({ page, api }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.fill('[data-testid="name-input"]', 'Test Multi-Tool');
  await page.click('[data-testid="add-tool-btn"]');
  await page.click('[data-testid="tool-option-simple_rag"]');
  await page.click('[data-testid="add-tool-btn"]');
  await page.click('[data-testid="tool-option-rubric_rag"]');
  await expect(page.locator('[data-testid="tool-card"]')).toHaveCount(2);

  await page.click('[data-testid="save-btn"]');
  await expect(page.locator('.success-message')).toBeVisible();

  await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+/);
  const id = /(\d+)/.exec(new URL(page.url()).pathname)?.[1];
  const saved = await api.get(`/api/v1/assistants/${id}`);
  expect(saved.metadata.tools.map(({ plugin, placeholder }: any) => [plugin, placeholder])).toEqual([
    ['simple_rag', '1_context'],
    ['rubric_rag', '2_rubric'],
  ]);
  expect(saved.metadata.orchestrator).toBe('sequential');

  await page.reload();
  await expect(page.locator('[data-testid="tool-card"]')).toHaveCount(2);
  await expect(page.locator('[data-testid="tool-card"]').first()).toContainText('{1_context}');
});

test('a classic assistant loads in the classic UI @smoke', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Classic one',
    prompt_template: '{context}\n\n{user_input}',
    metadata: { prompt_processor: 'simple_augment', connector: 'bypass', rag_processor: 'simple_rag' },
  });
  await page.goto(`/assistants/${id}`);
  await expect(page.locator('[data-testid="rag-processor-select"]')).toBeVisible();
  await expect(page.locator('[data-testid="tools-manager"]')).not.toBeVisible();

  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page).toHaveURL(new RegExp(`/assistants/${id}`));
  await expect(page.locator('[data-testid="rag-processor-select"]')).toBeVisible();
});

test('a multi-tool assistant loads in the multi-tool UI @smoke', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', { name: 'Multi-tool one', metadata: multiTool() });
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.locator('[data-testid="tools-manager"]')).toBeVisible();
  await expect(page.locator('[data-testid="rag-processor-select"]')).not.toBeVisible();

  await page.goto(`/assistants?view=detail&id=${id}`);
  await expect(page).toHaveURL(new RegExp(`/multi-tool-assistants/${id}`));
  await expect(page.locator('[data-testid="tools-manager"]')).toBeVisible();
});

test('the list shows the right type badges', async ({ page, api }) => {
  await api.post('/api/v1/assistants', { name: 'Badge of a classic one', metadata: { connector: 'bypass' } });
  await api.post('/api/v1/assistants', { name: 'Badge of a multi-tool one', metadata: multiTool() });
  await page.goto('/assistants');
  await expect(page.locator('[data-testid="type-badge-classic"]').first()).toBeVisible();
  await expect(page.locator('[data-testid="type-badge-multi_tool"]').first()).toBeVisible();
});

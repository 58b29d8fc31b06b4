// The template editor in the multi-tool form: the states of §4.5.4b, one history with the tools, plain text.
import { check, expect, shot, test } from './support/fixtures';
import type { Locator, Page } from '@playwright/test';

const TEMPLATE = [
  'You help students with their essays.',
  '',
  '## Course',
  '{1_context}',
  '',
  '## Research',
  '{2_context}',
  '',
  '## Rubric',
  '{3_rubric}',
  '',
  'Keep $\\frac{1}{2}$ and {"k": {}} as they are.',
  '',
  '{user_input}',
].join('\n');

const tool = (plugin: string, placeholder: string, config: object) => ({ plugin, placeholder, enabled: true, config });
const TOOLS = [
  tool('simple_rag', '1_context', { collections: [] }),
  tool('simple_rag', '2_context', { collections: [], top_k: 7 }),
  tool('rubric_rag', '3_rubric', { rubric_id: null }),
];

class Editor {
  readonly text: Locator;
  readonly editor: Locator;
  constructor(private readonly page: Page) {
    this.editor = page.getByTestId('template-editor');
    this.text = this.editor.getByTestId('template-input');
  }
  chip(name: string): Locator {
    return this.editor.locator(`[data-testid="template-chip"][data-slot="${name}"]`);
  }
  /** Mark in the text itself. */
  mark(name: string): Locator {
    return this.text.locator(`[data-slot="${name}"]`);
  }
  message(name: string): Locator {
    return this.editor.locator(`[data-testid="template-message"][data-slot="${name}"]`);
  }
  card(index: number): Locator {
    return this.page.getByTestId('tool-card').nth(index);
  }
  /** Moves a tool up and agrees to the renames. */
  async moveUp(index: number): Promise<void> {
    await this.card(index).getByTestId('tool-up').click();
    await this.page.getByTestId('apply-reorder').click();
  }
  async content(): Promise<string> {
    return this.text.evaluate((element) =>
      element instanceof HTMLTextAreaElement
        ? element.value
        : [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
    );
  }
  async expectContent(expected: string): Promise<void> {
    await expect.poll(() => this.content()).toBe(expected);
  }
  /** Puts the caret behind a line's text. */
  async caretBehind(line: string): Promise<void> {
    await this.text.locator('.cm-line', { hasText: line }).click();
    await this.page.keyboard.press('End');
  }
}

async function opened(
  page: Page,
  api: { post(path: string, body: unknown): Promise<{ id: number }> },
  template = TEMPLATE,
): Promise<Editor> {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Essay feedback',
    prompt_template: template,
    metadata: { _format_version: 3, assistant_type: 'multi_tool', connector: 'bypass', tools: TOOLS },
  });
  await page.goto(`/multi-tool-assistants/${id}`);
  const editor = new Editor(page);
  await editor.editor.scrollIntoViewIfNeeded();
  await expect(editor.text).toHaveClass(/cm-content/);
  return editor;
}

test('placeholders are used, unused or undefined as the text and the tools change', async ({ page, api }) => {
  const editor = await opened(page, api);
  for (const name of ['1_context', '2_context', '3_rubric', 'user_input']) {
    await expect(editor.chip(name)).toHaveAttribute('data-state', 'used');
    await expect(editor.mark(name)).toHaveAttribute('data-state', 'used');
  }
  await expect(editor.text.locator('[data-slot]')).toHaveCount(4);
  await expect(editor.editor.getByTestId('template-fine')).toBeVisible();
  await editor.editor.scrollIntoViewIfNeeded();
  await shot(page, 'template-used');

  // Typed away: unused in the bar, with a way to put it back.
  await editor.caretBehind('{2_context}');
  for (const _ of '{2_context}') await page.keyboard.press('Backspace');
  await expect(editor.chip('2_context')).toHaveAttribute('data-state', 'unused');
  await expect(editor.message('2_context')).toHaveAttribute('data-severity', 'warning');
  await editor.message('2_context').getByTestId('template-fix-insert').click();
  await editor.expectContent(TEMPLATE);
  await expect(editor.message('2_context')).toHaveCount(0);

  // Its tool off: undefined in the text, with two ways out.
  await editor.card(1).getByTestId('tool-enabled').click();
  await expect(editor.mark('2_context')).toHaveAttribute('data-state', 'undefined');
  await expect(editor.chip('2_context')).toHaveCount(0);
  await expect(editor.message('2_context')).toHaveAttribute('data-severity', 'error');
  await shot(page, 'template-undefined');
  await check(page);
  await editor.message('2_context').getByTestId('template-fix-enable').click();
  await expect(editor.mark('2_context')).toHaveAttribute('data-state', 'used');
});

test('a chip inserts at the caret, a brace offers the same list, Tab leaves the editor', async ({ page, api }) => {
  const editor = await opened(page, api, 'Before after\n{user_input}');
  await expect(editor.chip('3_rubric')).toHaveAttribute('data-state', 'unused');
  await editor.caretBehind('Before');
  for (const _ of ' after') await page.keyboard.press('ArrowLeft');
  await editor.chip('3_rubric').click();
  await editor.expectContent('Before{3_rubric} after\n{user_input}');
  await expect(editor.text).toBeFocused();

  await page.keyboard.type(' {');
  await page.getByRole('option', { name: '{1_context}' }).click();
  await editor.expectContent('Before{3_rubric} {1_context} after\n{user_input}');
  await expect(editor.mark('1_context')).toHaveAttribute('data-state', 'used');

  await page.keyboard.press('Tab');
  await expect(editor.text).not.toBeFocused();
});

test('undo takes order and template back together, and the caret stays on its word', async ({ page, api }) => {
  const editor = await opened(page, api);
  await editor.caretBehind('## Research');
  await page.keyboard.type(' here');
  await editor.moveUp(1);
  const swapped = TEMPLATE.replace('{1_context}', '{x}')
    .replace('{2_context}', '{1_context}')
    .replace('{x}', '{2_context}');
  await editor.expectContent(swapped.replace('## Research', '## Research here'));
  await expect(editor.card(0)).toContainText('7');

  await editor.text.focus();
  await page.keyboard.type('!');
  await editor.expectContent(swapped.replace('## Research', '## Research here!'));
  for (const _ of [1, 2, 3]) await page.keyboard.press('Control+z');
  await editor.expectContent(TEMPLATE);
  await expect(editor.card(1)).toContainText('7');
  for (const _ of [1, 2, 3]) await page.keyboard.press('Control+y');
  await editor.expectContent(swapped.replace('## Research', '## Research here!'));
  await expect(editor.card(0)).toContainText('7');
});

test('the slot of a removed tool is filled by no other, until undo brings the tool back', async ({ page, api }) => {
  const editor = await opened(page, api);
  await editor.card(0).getByTestId('tool-remove').click();
  await page.getByTestId('confirm-remove').click();
  await editor.expectContent(TEMPLATE.replace('{1_context}', '{removed_1_context}'));
  await expect(editor.mark('removed_1_context')).toHaveAttribute('data-state', 'undefined');
  await expect(editor.mark('2_context')).toHaveAttribute('data-state', 'used');
  await editor.editor.getByTestId('template-undo').click();
  await editor.expectContent(TEMPLATE);
  await expect(page.getByTestId('tool-card')).toHaveCount(3);
});

test('filling the plain text first replaces it', async ({ page, api }) => {
  const editor = await opened(page, api);
  await editor.editor.getByTestId('template-plain').check();
  await expect(editor.text).toHaveJSProperty('tagName', 'TEXTAREA');
  await editor.text.fill('Answer {user_input}');
  await editor.expectContent('Answer {user_input}');
});

test('plain text has the same buttons and the same history', async ({ page, api }) => {
  const editor = await opened(page, api);
  await editor.editor.getByTestId('template-plain').check();
  await expect(editor.text).toHaveJSProperty('tagName', 'TEXTAREA');
  await editor.text.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' now');
  await editor.moveUp(2);
  await editor.expectContent(
    `${TEMPLATE.replace('{2_context}', '{3_context}').replace('{3_rubric}', '{2_rubric}')} now`,
  );
  await editor.text.focus();
  await page.keyboard.press('Control+z');
  await editor.expectContent(`${TEMPLATE} now`);
  await editor.chip('3_rubric').click();
  await editor.expectContent(`${TEMPLATE} now{3_rubric}`);
  await check(page);
  await editor.editor.getByTestId('template-plain').uncheck();
  await expect(editor.text).toHaveClass(/cm-content/);
  await editor.expectContent(`${TEMPLATE} now{3_rubric}`);
});

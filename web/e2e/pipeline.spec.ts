// The tools of a pipeline: reordered by mouse, touch and keyboard, removed, configured; the template follows.
import type { Locator, Page } from '@playwright/test';
import { check, expect, shot, test } from './support/fixtures';

const TEMPLATE = 'Course: {1_context}\nResearch: {2_context}\nRubric: {3_rubric}\n\n{user_input}';

const search = (placeholder: string, top_k: number): object => ({
  plugin: 'simple_rag',
  placeholder,
  enabled: true,
  config: { collections: [], top_k },
});
const rubric = (placeholder: string): object => ({
  plugin: 'rubric_rag',
  placeholder,
  enabled: true,
  config: { rubric_id: null, format: 'markdown' },
});

async function made(
  api: { post: (path: string, body?: unknown) => Promise<any> },
  tools: readonly object[] = [search('1_context', 3), search('2_context', 9), rubric('3_rubric')],
  template = TEMPLATE,
): Promise<number> {
  const metadata = { _format_version: 3, assistant_type: 'multi_tool', orchestrator: 'sequential', tools };
  const body = { name: `Pipeline ${Date.now()}`, prompt_template: template, metadata };
  return (await api.post('/api/v1/assistants', body)).id as number;
}

async function open(page: Page, id: number, cards = 3): Promise<void> {
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tools-manager')).toBeVisible();
  await expect(page.getByTestId('tool-card')).toHaveCount(cards);
  // What has to be chosen yet is told below a card, which grows.
  await expect(page.locator('[data-testid="tool-card"] [data-code="tool.config_incomplete"]')).toHaveCount(cards);
}

const handle = (page: Page, position: number): Locator => page.locator('[data-handle]').nth(position - 1);
const said = (page: Page): Locator => page.getByTestId('announcer');

/** Stored template, and tools as `placeholder:top_k`. */
async function saved(
  page: Page,
  api: { get: (path: string) => Promise<any> },
  id: number,
): Promise<[string, string[]]> {
  const { version } = await api.get(`/api/v1/assistants/${id}`);
  await page.getByTestId('save-btn').click();
  await expect.poll(async () => (await api.get(`/api/v1/assistants/${id}`)).version).toBeGreaterThan(version);
  const { prompt_template, metadata } = await api.get(`/api/v1/assistants/${id}`);
  return [prompt_template, metadata.tools.map((tool: any) => `${tool.placeholder}:${tool.config.top_k ?? '-'}`)];
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  // In the middle: at the edges of the window the page scrolls while something is dragged.
  await from.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error('nothing to drag');
  const direction = end.y > start.y ? 1 : -1;
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2 + 12 * direction, { steps: 12 });
}

test('the keyboard alone moves a tool, and the template follows', async ({ page, api }) => {
  const id = await made(api);
  await open(page, id);
  await handle(page, 3).focus();
  await page.keyboard.press('Space');
  await expect(said(page)).toContainText('Rubric picked up, position 3 of 3.');
  await page.keyboard.press('ArrowUp');
  await expect(said(page)).toContainText('position 2 of 3');
  await page.keyboard.press('Escape');
  await expect(said(page)).toContainText('Rubric stays at position 3 of 3.');
  await expect(handle(page, 3)).toBeFocused();
  await expect(page.getByTestId('pipeline-undo')).toHaveAttribute('aria-disabled', 'true');
  // Not a byte has moved: nothing is unsaved, and a save writes what was there.
  await expect(page.getByTestId('dirty-badge')).toHaveCount(0);
  expect(await saved(page, api, id)).toEqual([TEMPLATE, ['1_context:3', '2_context:9', '3_rubric:-']]);

  await handle(page, 3).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  const dialog = page.getByTestId('rename-dialog');
  await expect(dialog.getByTestId('renames')).toContainText('rename {3_rubric} to {2_rubric}');
  await expect(dialog.getByTestId('diff')).toContainText('Rubric: {2_rubric}');
  await check(page);
  await shot(page, 'reorder-dialog');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(said(page)).toContainText('Rubric moved to position 2 of 3. {3_rubric} is now {2_rubric}.');
  await expect(page.getByTestId('tool-card').nth(1)).toContainText('{2_rubric}');
  await expect(handle(page, 2)).toBeFocused();
  expect(await saved(page, api, id)).toEqual([
    'Course: {1_context}\nResearch: {3_context}\nRubric: {2_rubric}\n\n{user_input}',
    ['1_context:3', '2_rubric:-', '3_context:9'],
  ]);
});

test('the mouse swaps two searches, and every placeholder with them', async ({ page, api }) => {
  const id = await made(api);
  await open(page, id);
  await drag(page, handle(page, 1), handle(page, 2));
  await expect(page.getByTestId('tool-number').first()).toHaveText('2');
  await page.mouse.up();
  await page.getByLabel('Do not ask again in this session').check();
  await page.getByTestId('apply-reorder').click();
  await expect(page.getByTestId('tool-card').first()).toContainText('9 passages');

  await drag(page, handle(page, 2), handle(page, 3));
  await page.mouse.up();
  await expect(said(page)).toContainText('Knowledge Base RAG moved to position 3 of 3.');
  expect(await saved(page, api, id)).toEqual([
    'Course: {3_context}\nResearch: {1_context}\nRubric: {2_rubric}\n\n{user_input}',
    ['1_context:9', '2_rubric:-', '3_context:3'],
  ]);

  await drag(page, handle(page, 3), handle(page, 1));
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(page.getByTestId('tool-card').first()).toContainText('9 passages');
});

test('a finger drags, and buttons move without dragging', async ({ page, api, browser, baseURL, context }) => {
  const id = await made(api);
  await open(page, id);
  const card = page.getByTestId('tool-card');
  await expect(card.nth(0).getByTestId('tool-up')).toBeDisabled();
  await expect(card.nth(2).getByTestId('tool-down')).toBeDisabled();
  await card.nth(0).getByTestId('tool-down').click();
  await page.getByTestId('apply-reorder').click();
  await expect(card.nth(1)).toContainText('3 passages');
  await expect(card.nth(1).getByTestId('tool-down')).toBeFocused();
  await card.nth(1).getByTestId('tool-down').click();
  await page.getByTestId('apply-reorder').click();
  await expect(card.nth(2)).toContainText('3 passages');
  // At the end there is no way further down: the focus stays on the tool.
  await expect(card.nth(2).getByTestId('tool-up')).toBeFocused();

  const storageState = await context.storageState();
  const touched = await browser.newContext({
    baseURL,
    storageState,
    hasTouch: true,
    isMobile: true,
    locale: 'en-GB',
    viewport: { width: 390, height: 844 },
  });
  const phone = await touched.newPage();
  await open(phone, id);
  // The hint makes the card taller: the handles rest once it is there.
  await expect(phone.getByTestId('tool-card').nth(2)).toContainText('Choose a rubric.');
  await handle(phone, 1).evaluate((element) => element.scrollIntoView({ block: 'center' }));
  const [from, to] = [await handle(phone, 1).boundingBox(), await handle(phone, 2).boundingBox()];
  if (from === null || to === null) throw new Error('nothing to drag');
  const finger = await touched.newCDPSession(phone);
  const x = from.x + from.width / 2;
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number): Promise<unknown> =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x, y }] });
  await touch('touchStart', from.y + from.height / 2);
  for (let step = 1; step <= 8; step++)
    await touch('touchMove', from.y + from.height / 2 + ((to.y - from.y + 30) * step) / 8);
  await touch('touchEnd');
  await expect(phone.getByTestId('apply-reorder')).toBeVisible();
  // A click, not a tap: a busy browser cancels a touch whose events the page takes late, and the drag is what is tested.
  await phone.getByTestId('apply-reorder').click();
  await expect(phone.getByTestId('tool-card').first()).toContainText('9 passages');
  await touched.close();
});

test('a removed tool leaves no slot to another one, and comes back', async ({ page, api }) => {
  const id = await made(api, [search('1_context', 3), search('2_context', 9), search('3_context', 5)]);
  await open(page, id);
  await page.getByTestId('tool-card').nth(1).getByTestId('tool-remove').click();
  const dialog = page.getByTestId('remove-dialog');
  await expect(dialog.getByTestId('diff')).toContainText('{removed_2_context}');
  await dialog.getByLabel('Delete it from the template').check();
  await expect(dialog.getByTestId('diff')).not.toContainText('{removed_2_context}');
  await dialog.getByLabel('Mark it as').check();
  await check(page);
  await shot(page, 'remove-dialog');
  await page.getByTestId('confirm-remove').click();
  await expect(page.getByTestId('tool-card')).toHaveCount(2);
  expect(await saved(page, api, id)).toEqual([
    'Course: {1_context}\nResearch: {removed_2_context}\nRubric: {3_rubric}\n\n{user_input}',
    ['1_context:3', '3_context:5'],
  ]);
  await page.getByTestId('pipeline-undo').click();
  await expect(page.getByTestId('tool-card')).toHaveCount(3);
  expect(await saved(page, api, id)).toEqual([TEMPLATE, ['1_context:3', '2_context:9', '3_context:5']]);
});

test('a tool is added from the menu and configured; what is wrong is told at its card', async ({ page, api }) => {
  const id = await made(api, [], '{user_input}');
  await open(page, id, 0);
  await expect(page.getByTestId('no-tools')).toBeVisible();
  await page.getByTestId('add-tool-btn').click();
  await expect(page.getByTestId('tool-option-simple_rag')).toContainText('{1_context}');
  // It lies beside its button, and is searched.
  const [button, menu] = [
    await page.getByTestId('add-tool-btn').boundingBox(),
    await page.getByTestId('add-tool-menu').boundingBox(),
  ];
  if (button === null || menu === null) throw new Error('no menu');
  expect(menu.y >= button.y + button.height || menu.y + menu.height <= button.y).toBe(true);
  await expect(page.getByTestId('add-tool-search')).toBeFocused();
  await page.getByTestId('add-tool-search').fill('rubric');
  await expect(page.getByTestId('tool-option-simple_rag')).toHaveCount(0);
  await expect(page.getByTestId('tool-option-rubric_rag')).toBeVisible();
  await page.getByTestId('add-tool-search').fill('');
  await check(page);
  await shot(page, 'add-tool-menu');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('add-tool-btn')).toBeFocused();
  // A double click opens it and adds nothing.
  await page.getByTestId('add-tool-btn').dblclick();
  await expect(page.getByTestId('tool-option-no_rag')).toBeVisible();
  await expect(page.getByTestId('tool-card')).toHaveCount(0);
  await page.getByTestId('tool-option-no_rag').click();
  await page.getByTestId('add-tool-btn').click();
  await expect(page.getByTestId('tool-option-no_rag')).toHaveAttribute('aria-disabled', 'true');
  await page.getByTestId('tool-option-simple_rag').click();
  const card = page.getByTestId('tool-card').nth(1);
  await expect(card).toContainText('{2_context}');
  await expect(card.locator('[data-code="tool.config_incomplete"]')).toBeVisible();
  // Its settings stand open on its card with the focus in them; what is missing opens them as a dialog.
  await expect
    .poll(() => card.getByTestId('new-tool').evaluate((panel) => panel.contains(document.activeElement)))
    .toBe(true);
  await card.getByTestId('tool-problem').click();
  const dialog = page.getByTestId('tool-dialog');
  const passages = dialog.getByLabel('Passages', { exact: true });
  await passages.fill('99');
  await expect(dialog.getByTestId('save-tool')).toHaveAttribute('aria-disabled', 'true');
  await passages.fill('7');
  await expect(dialog.getByTestId('save-tool')).toHaveAttribute('aria-disabled', 'false');
  await check(page);
  await dialog.getByTestId('save-tool').click();
  await expect(card).toContainText('7 passages');
  await expect(card.getByTestId('tool-configure')).toBeFocused();

  await card.getByTestId('tool-enabled').uncheck();
  await expect(card).toContainText('Off');
  const [, tools] = await saved(page, api, id);
  expect(tools).toEqual(['undefined:-', '2_context:7']);
});

import { gzipSync } from 'node:zlib';
import type { Request } from '@playwright/test';
import { expect, type Page, test } from './support/fixtures';

/** The goal of a list is 60 KiB; names of built files differ between machines by some hundred bytes. */
const LIST = 61 * 1024;
/** Of lists that miss it: what they load is their first view, as cards, filters and the place for uploads. */
const LARGE_LIST = 63 * 1024;
/** The chat as it opens; Markdown and formulas come with the first answer. */
const CHAT = 84 * 1024;
/** A whole form, usable: only the editor of its template, settings of tools and the playground come later. */
const FORM = 130 * 1024;
/** With all that it loads later: the editor of templates, settings of a tool, the playground. */
const EVERYTHING = 320 * 1024;

const PATHS: readonly (readonly [path: string, limit: number])[] = [
  ['/assistants', LARGE_LIST],
  ['/multi-tool-assistants', LARGE_LIST],
  ['/assistants/new', LIST],
  ['/knowledge-bases', LIST],
  ['/rubrics', LIST],
  ['/files', LARGE_LIST],
  ['/prompt-templates', LIST],
  ['/runs', LARGE_LIST],
  ['/organization/sign-on', LIST],
  ['/organization/platforms', LARGE_LIST],
];

interface Scripts {
  /** Bytes of all scripts so far, gzipped, once none is on its way and the page has drawn what came. */
  total(): Promise<number>;
  count(): number;
}

function scriptsOf(page: Page): Scripts {
  const sizes: number[] = [];
  const reading: Promise<void>[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') reading.push(read(request));
  });
  const read = async (request: Request) => {
    const response = await request.response();
    if (response !== null) sizes.push(gzipSync(await response.body()).length);
  };
  return {
    async total() {
      let read: number;
      do {
        read = reading.length;
        await Promise.all(reading);
        // A script that has come may ask for the next one.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      } while (reading.length > read);
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    count: () => sizes.length,
  };
}

function tell(what: string, bytes: number, scripts: Scripts): void {
  test.info().annotations.push({ type: 'scripts, gzipped', description: `${what}: ${bytes} bytes` });
  console.log(`${what}: ${(bytes / 1024).toFixed(1)} kB in ${scripts.count()} scripts`);
}

for (const [path, limit] of PATHS) {
  test(`the first scripts of ${path} stay within ${limit / 1024} kB`, async ({ page }) => {
    const scripts = scriptsOf(page);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const total = await scripts.total();
    tell(path, total, scripts);
    expect(total).toBeLessThanOrEqual(limit);
  });
}

test('the first scripts of a chat stay within 84 kB, before its first answer', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Scripts of a chat',
    prompt_template: '{user_input}',
    metadata: { connector: 'bypass' },
  });
  const scripts = scriptsOf(page);
  await page.goto(`/chat/${id}`);
  await expect(page.getByTestId('chat-input')).toBeVisible();
  const total = await scripts.total();
  tell('/chat', total, scripts);
  expect(total).toBeLessThanOrEqual(CHAT);
});

for (const path of ['/assistants/create', '/multi-tool-assistants/create']) {
  test(`the whole form of ${path} comes by itself and stays within 130 kB`, async ({ page }) => {
    // On a phone: on a wide screen the playground stands beside it.
    await page.setViewportSize({ width: 390, height: 844 });
    const scripts = scriptsOf(page);
    await page.goto(path);
    await expect(page.getByTestId('checklist-btn')).toBeVisible();
    const total = await scripts.total();
    tell(path, total, scripts);
    expect(total).toBeLessThanOrEqual(FORM);
  });
}

test('the whole form stays within 130 kB, with editor, settings and playground within 320 kB', async ({
  page,
  api,
}) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'All of the form',
    prompt_template: '{1_context}\n\n{user_input}',
    metadata: {
      _format_version: 3,
      assistant_type: 'multi_tool',
      connector: 'bypass',
      tools: [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [] } }],
    },
  });
  await page.setViewportSize({ width: 390, height: 844 });
  const scripts = scriptsOf(page);
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tool-card')).toBeVisible();
  const form = await scripts.total();
  tell('form', form, scripts);
  expect(form).toBeLessThanOrEqual(FORM);
  await page.getByTestId('prompt-template').locator('summary').first().click();
  await page.getByTestId('template-editor').scrollIntoViewIfNeeded();
  await expect(page.locator('.cm-content')).toBeVisible();
  tell('form with the editor', await scripts.total(), scripts);
  await page.getByTestId('tool-configure').click();
  await expect(page.getByTestId('choice-knowledge-base')).toBeVisible();
  await page.keyboard.press('Escape');
  tell('form with the settings of a tool', await scripts.total(), scripts);
  await page.getByTestId('playground-btn').click();
  await expect(page.getByTestId('question-input')).toBeVisible();
  const total = await scripts.total();
  tell('form with everything', total, scripts);
  expect(total).toBeLessThanOrEqual(EVERYTHING);
});

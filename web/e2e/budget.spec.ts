import { brotliCompressSync, constants } from 'node:zlib';
import type { Request } from '@playwright/test';
import { expect, type Page, test } from './support/fixtures';

/**
 * Parts of the UI that a page may fetch until it is usable: bytes of scripts as the service sends them, and files of any
 * kind. Answers of the API are not counted.
 */
interface Budget {
  readonly bytes: number;
  readonly files: number;
}
const LIST: Budget = { bytes: 70 * 1024, files: 14 };
/** Pages of the organization share its frame and the state of its settings. */
const ORGANIZATION: Budget = { bytes: 76 * 1024, files: 18 };
/** The chat as it opens; Markdown and formulas come with the first answer. */
const CHAT: Budget = { bytes: 86 * 1024, files: 18 };
/** A whole form; the editor of its template, settings of tools and the playground come later. */
const FORM: Budget = { bytes: 130 * 1024, files: 32 };
/** The editor of a stored assistant, with its tools and the state of its publication. */
const EDITOR: Budget = { bytes: 180 * 1024, files: 40 };
/** With all that it loads later. */
const EVERYTHING: Budget = { bytes: 310 * 1024, files: 62 };

const PATHS: readonly (readonly [path: string, budget: Budget])[] = [
  ['/assistants', LIST],
  ['/multi-tool-assistants', LIST],
  ['/assistants/new', LIST],
  ['/knowledge-bases', LIST],
  ['/rubrics', LIST],
  ['/files', LIST],
  ['/prompt-templates', LIST],
  ['/runs', LIST],
  ['/organization/sign-on', ORGANIZATION],
  ['/organization/platforms', ORGANIZATION],
];

const PARTS = ['document', 'script', 'stylesheet'];
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

interface Fetched {
  /** Parts of the UI so far, once none is on its way and the page has drawn what came; data of the service left out. */
  soFar(): Promise<Budget>;
}

function fetchedBy(page: Page): Fetched {
  const sizes: number[] = [];
  const reading: Promise<void>[] = [];
  page.on('request', (request) => {
    if (PARTS.includes(request.resourceType()) || request.url().includes('/_app/')) reading.push(read(request));
  });
  const read = async (request: Request) => {
    const response = await request.response();
    const isScript = request.resourceType() === 'script';
    if (response !== null) sizes.push(isScript ? brotliCompressSync(await response.body(), QUALITY).length : 0);
  };
  return {
    async soFar() {
      let read: number;
      do {
        read = reading.length;
        await Promise.all(reading);
        // A script that has come may ask for the next one.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      } while (reading.length > read);
      return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length };
    },
  };
}

async function expectWithin(what: string, fetched: Fetched, budget: Budget): Promise<void> {
  const { bytes, files } = await fetched.soFar();
  const description = `${what}: ${(bytes / 1024).toFixed(1)} kB of scripts in ${files} files`;
  test.info().annotations.push({ type: 'fetched', description });
  console.log(description);
  expect.soft(bytes).toBeLessThanOrEqual(budget.bytes);
  expect.soft(files).toBeLessThanOrEqual(budget.files);
}

for (const [path, budget] of PATHS) {
  test(`${path} is usable after ${budget.bytes / 1024} kB of scripts and ${budget.files} files`, async ({ page }) => {
    const fetched = fetchedBy(page);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectWithin(path, fetched, budget);
  });
}

test('a chat is usable after 86 kB of scripts and 18 files, before its first answer', async ({ page, api }) => {
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Scripts of a chat',
    prompt_template: '{user_input}',
    metadata: { connector: 'bypass' },
  });
  const fetched = fetchedBy(page);
  await page.goto(`/chat/${id}`);
  await expect(page.getByTestId('chat-input')).toBeVisible();
  await expectWithin('/chat', fetched, CHAT);
});

for (const path of ['/assistants/create', '/multi-tool-assistants/create']) {
  test(`the whole form of ${path} comes by itself within 130 kB and 32 files`, async ({ page }) => {
    // On a phone: on a wide screen the playground stands beside it.
    await page.setViewportSize({ width: 390, height: 844 });
    const fetched = fetchedBy(page);
    await page.goto(path);
    await expect(page.getByTestId('checklist-btn')).toBeVisible();
    await expectWithin(path, fetched, FORM);
  });
}

test('the editor of a stored assistant opens within 180 kB and 40 files, with all parts within 310 kB and 62', async ({
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
  const fetched = fetchedBy(page);
  await page.goto(`/multi-tool-assistants/${id}`);
  await expect(page.getByTestId('tool-card')).toBeVisible();
  await expectWithin('editor', fetched, EDITOR);
  await page.getByTestId('prompt-template').locator('summary').first().click();
  await page.getByTestId('template-editor').scrollIntoViewIfNeeded();
  await expect(page.locator('.cm-content')).toBeVisible();
  await page.getByTestId('tool-configure').click();
  await expect(page.getByTestId('choice-knowledge-base')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByTestId('playground-btn').click();
  await expect(page.getByTestId('question-input')).toBeVisible();
  await expectWithin('editor with everything', fetched, EVERYTHING);
});

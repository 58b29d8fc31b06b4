// The student's page: from the link that a teacher hands out to the conversation that is found again.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from '@playwright/test';
import { type Api, apiOf, check, expect, type Page, shot, signIn, test, watch, picture } from './support/fixtures';
import { reachable } from './support/keyboard';
import { LOCALES, speak } from './support/languages';
import { holdEverywhere } from './support/pages';
import { type Service, startService } from './support/service';

const MEMBRANES = '# Membranes\n\nOsmosis moves water through a membrane that lets the solute stay.\n';
const PRESSURE = '# Pressure\n\nThe osmotic pressure grows with the concentration of the solute.\n';
const SUGGESTED = ['What does osmosis do to a membrane?', 'What is osmotic pressure?'] as const;
/** Words for authors that no page of students shows. */
const MACHINERY = /\{\d*_?context\}|tokens|confidence|similar|bypass|debug|gpt-4o/i;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'en-GB' };
const NOBODY = { cookies: [], origins: [] };

let tutor = 0;
let student = '';

async function makeTutor(api: Api): Promise<number> {
  const base = await api.post('/api/v1/knowledge-bases', { name: 'Biology course' });
  await api.upload(`/api/v1/knowledge-bases/${base.id}/documents`, {
    'membranes.md': MEMBRANES,
    'pressure.md': PRESSURE,
  });
  const documents = async (): Promise<string> =>
    (await api.get(`/api/v1/knowledge-bases/${base.id}/documents`)).items.map(({ status }: any) => status).join();
  await expect.poll(documents, { timeout: 20_000 }).toBe('completed,completed');
  const { id } = await api.post('/api/v1/assistants', {
    name: 'Biology tutor',
    description: 'Answers questions about the biology course.',
    system_prompt: 'Cite as [n].',
    prompt_template: '{1_context}\n\n{user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      connector: 'openai',
      llm: 'gpt-4o-mini',
      capabilities: { vision: true },
      suggested_questions: SUGGESTED,
      tools: [
        {
          plugin: 'simple_rag',
          placeholder: '1_context',
          enabled: true,
          config: { collections: [base.slug], top_k: 2, mode: 'keyword', sources_in_prompt: 'numbered' },
        },
      ],
    },
  });
  await api.put(`/api/v1/assistants/${id}/publication`);
  return id;
}

/** A member's key. */
async function makeStudent(api: Api, name: string): Promise<string> {
  const email = `${name}@example.edu`;
  await api.post('/api/v1/organizations/default/members', { email, name, role: 'member' });
  return (await api.post('/api/v1/api-keys', { name, scopes: ['chat', 'read', 'write'], owner: email })).key;
}

test.beforeAll(async ({ api }) => {
  tutor = await makeTutor(api);
  student = await makeStudent(api, 'sam');
});

const input = (page: Page) => page.getByTestId('chat-input');
const reply = (page: Page) => page.getByTestId('reply').last();
const ended = (page: Page, status = 'completed') => expect(reply(page)).toHaveAttribute('data-status', status);
async function ask(page: Page, question: string): Promise<void> {
  await input(page).fill(question);
  await input(page).press('Enter');
}
const conversation = (page: Page, title: string) => page.getByTestId('conversation').filter({ hasText: title });
async function act(page: Page, title: string, action: string): Promise<void> {
  await conversation(page, title).getByRole('button').click();
  await page.getByTestId(action).click();
}

async function asStudent(browser: Browser, { url }: Service, options: object = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, storageState: NOBODY, locale: 'en-GB', ...options });
  await signIn(context, url, student);
  return context;
}

/** The link that a teacher copies at publication. */
async function chatLink(page: Page): Promise<string> {
  await page.goto(`/assistants?q=${encodeURIComponent('Biology tutor')}`);
  await page.getByTestId('assistant-actions').first().click();
  await page.getByTestId('action-publish').click();
  return page.getByTestId('chat-link-value').innerText();
}

/** Adds a student, or makes a new link for one, as an administrator does; the address of the link. */
async function signInLink(page: Page, email: string): Promise<string> {
  await page.goto('/organization/members');
  const row = page.getByTestId('member-row').filter({ hasText: email });
  await expect(page.getByTestId('member-row').first()).toBeVisible();
  if ((await row.count()) > 0) {
    await row.getByTestId('member-menu').click();
    await page.getByTestId('member-link').click();
  } else {
    await page.getByTestId('add-member').click();
    await page.getByTestId('member-email').fill(email);
    await page.getByTestId('member-name').fill('Nora Student');
    await page.getByTestId('member-role').selectOption('member');
    await page.getByTestId('member-save').click();
  }
  const made = page.getByTestId('new-key-value');
  await expect(made).toHaveValue(/#link=/);
  return made.inputValue();
}

test('a student follows the link on a phone, reads a passage, and finds the conversation again tomorrow', async ({
  page: staff,
  browser,
  service,
}) => {
  test.setTimeout(120_000);
  const link = await chatLink(staff);
  const signIn = await signInLink(staff, 'nora@example.edu');
  const context = await browser.newContext({ storageState: NOBODY, ...PHONE });
  const page = await context.newPage();
  const faults = watch(page, service.url);
  // Signed out, the link leads to signing in.
  await page.goto(link);
  await expect(page).toHaveURL(/sign-in\?to=/);
  await page.goto(signIn);
  await page.getByTestId('link-sign-in-btn').tap();
  // Where it is her one assistant, it opens at once. She comes by the link of her teacher.
  await expect(page).toHaveURL(/\/(?:assistants|chat\/\d+)$/);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Biology tutor');
  await expect(page.getByTestId('storage-note')).toContainText('conversations are kept');
  await check(page);
  await shot(page, 'chat-welcome');

  await page.getByRole('button', { name: SUGGESTED[0] }).tap();
  await ended(page);
  await expect(page).toHaveURL(/\?c=/);
  await expect(page.getByTestId('status-line')).toContainText(/Looked in Biology course · \d sources?/);
  await page.getByRole('button', { name: /^Source 1: / }).tap();
  const card = page.getByTestId('source-card');
  await expect(card.getByTestId('passage')).toContainText(/Osmosis moves water|osmotic pressure/);
  // The heading of its section comes first, and has words of the question, too.
  await expect(card.getByTestId('passage').locator('mark').filter({ hasText: /osmo/i }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
  await page.getByTestId('status-line').locator('summary').tap();
  await page.getByTestId('open-sources').tap();
  const sources = page.getByTestId('sources-panel');
  await expect(sources.getByRole('listitem').first()).toContainText('.md');
  await expect(sources.getByTestId('passage').first()).toBeVisible();
  await check(page);
  await sources.getByRole('button', { name: 'Close' }).tap();
  await expect(sources).toHaveCount(0);
  expect(await page.locator('body').innerText()).not.toMatch(MACHINERY);
  await shot(page, 'chat-answer');
  await picture(page, 'chat');
  expect(faults).toEqual([]);
  await context.close();

  // The next day, on another phone.
  const again = await signInLink(staff, 'nora@example.edu');
  const later = await browser.newContext({ storageState: NOBODY, ...PHONE });
  const tomorrow = await later.newPage();
  await tomorrow.clock.setFixedTime(Date.now() + 24 * 3_600_000);
  await tomorrow.goto(again);
  await tomorrow.getByTestId('link-sign-in-btn').tap();
  await expect(tomorrow).toHaveURL(/\/(?:assistants|chat\/\d+)$/);
  await tomorrow.goto(link);
  await expect(tomorrow.getByTestId('welcome')).toBeVisible();
  await tomorrow.getByTestId('open-conversations').tap();
  const drawer = tomorrow.getByTestId('conversations-drawer');
  await expect(conversation(tomorrow, SUGGESTED[0])).toBeVisible();
  await check(tomorrow);
  await conversation(tomorrow, SUGGESTED[0]).getByRole('link').tap();
  await expect(drawer).toBeHidden();
  await expect(tomorrow.getByTestId('chat-question')).toContainText(SUGGESTED[0]);
  await expect(reply(tomorrow).getByTestId('answer')).toContainText('Osmosis moves water through a membrane');
  await tomorrow.reload();
  await expect(reply(tomorrow).getByTestId('answer')).toContainText('Osmosis moves water through a membrane');
  await later.close();
});

test('an answer is followed while it is written, resumes after a reload, and can be stopped and asked again', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await page.goto(`/chat/${tutor}`);
  await ask(page, 'slow osmosis');
  await expect(reply(page).getByTestId('answer')).toContainText('step3');
  await page.reload();
  await expect(reply(page).getByTestId('answer')).toContainText('step0 step1 step2');
  await ended(page, 'running');
  await page.getByTestId('chat-stop').click();
  await ended(page, 'cancelled');
  await expect(page.getByTestId('stopped')).toBeVisible();
  await expect(page.getByTestId('announcer')).toContainText('You stopped this answer.');
  // The part that was answered until then is kept.
  await page.reload();
  await expect(reply(page).getByTestId('answer')).toContainText('step2');

  // The end stays in sight until the reader scrolls up.
  await ask(page, 'long osmosis');
  const messages = page.getByTestId('messages');
  const toEnd = () => messages.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await expect(reply(page).getByTestId('answer')).toContainText('word300');
  expect(await toEnd()).toBeLessThan(60);
  await messages.hover();
  await page.mouse.wheel(0, -300);
  await expect(page.getByTestId('latest')).toBeVisible();
  const before = await messages.evaluate((box) => box.scrollTop);
  await expect(reply(page).getByTestId('answer')).toContainText('word900');
  expect(await messages.evaluate((box) => box.scrollTop)).toBe(before);
  await page.getByTestId('latest').click();
  await expect.poll(toEnd).toBeLessThan(60);
  await expect(page.getByTestId('latest')).toHaveCount(0);
  await ended(page);
  await expect(page.getByTestId('announcer')).toContainText('Answer: word0');

  // A failure is told in plain words.
  await ask(page, 'fail at osmosis');
  await ended(page, 'failed');
  await expect(page.getByTestId('chat-failure')).toContainText('Something went wrong');
  expect(await page.locator('body').innerText()).not.toMatch(MACHINERY);
  await check(page);
  const replaced = page.getByTestId('exchange');
  await expect(replaced).toHaveCount(3);
  await page.getByTestId('chat-failure').getByTestId('ask-again').click();
  await ended(page, 'failed');
  await expect(replaced).toHaveCount(3);
});

test('a question is edited and asked again; an answer is copied and rated', async ({ page, context, api }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`/chat/${tutor}`);
  await ask(page, 'First osmosis');
  await ended(page);
  await ask(page, 'Second osmosis');
  await expect(page.getByTestId('exchange')).toHaveCount(2);
  await ended(page);

  await page.getByTestId('edit-question').first().click();
  const edit = page.getByTestId('edit-input');
  await expect(edit).toBeFocused();
  await expect(page.getByTestId('chat-question').first()).toContainText('The earlier one and its answers stay');
  await check(page);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('edit-question').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await edit.fill('Changed osmosis');
  await edit.press('Enter');
  await expect(page.getByTestId('exchange')).toHaveCount(1);
  await expect(page.getByTestId('chat-question')).toContainText('Changed osmosis');
  await ended(page);
  await page.reload();
  await expect(page.getByTestId('exchange')).toHaveCount(1);
  // The earlier version is a press away, with what followed it; asking again makes a third one.
  await expect(page.getByTestId('version')).toHaveText('2 / 2');
  await page.getByTestId('version-earlier').click();
  await expect(page.getByTestId('exchange')).toHaveCount(2);
  await expect(page.getByTestId('chat-question').last()).toContainText('Second osmosis');
  await expect(page.getByTestId('version-later')).toBeFocused();
  await expect(page.getByTestId('announcer')).toContainText('Version 1 of 2');
  await check(page);
  await page.getByTestId('ask-again').first().click();
  await expect(page.getByTestId('version')).toHaveText('3 / 3');
  await expect(page.getByTestId('exchange')).toHaveCount(1);
  await ended(page);
  await page.getByTestId('version-earlier').click();
  await expect(page.getByTestId('chat-question')).toContainText('Changed osmosis');

  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByTestId('copy-answer').click();
  await expect.poll(copied).toContain('Osmosis moves **water**');
  await reply(page).locator('button[data-copy]').click();
  await expect.poll(copied).toContain('print("done")');

  const down = page.getByTestId('rate-down');
  await down.click();
  await expect(down).toHaveAttribute('aria-pressed', 'true');
  await page.getByTestId('reason-input').fill('Too short');
  await check(page);
  await page.getByTestId('rating-reason').getByRole('button', { name: 'Send' }).click();
  await expect(page.getByTestId('rating-reason')).toHaveCount(0);
  await page.reload();
  await expect(down).toHaveAttribute('aria-pressed', 'true');
  const { items } = await api.get(`/api/v1/conversations?assistant_id=${tutor}&q=Changed`);
  const { messages } = await api.get(`/api/v1/conversations/${items[0].id}`);
  expect(messages.at(-1).rating).toEqual({ value: 'down', reason: 'Too short' });
  await down.click();
  await expect(down).toHaveAttribute('aria-pressed', 'false');
});

test('conversations are searched, renamed, downloaded and deleted', async ({ page }) => {
  await page.goto(`/chat/${tutor}`);
  for (const question of ['Osmosis and diffusion', 'Osmosis and turgor']) {
    await page.getByTestId('new-conversation').click();
    await expect(page.getByTestId('welcome')).toBeVisible();
    await ask(page, question);
    await ended(page);
    await expect(conversation(page, question)).toHaveClass(/current/);
  }
  await shot(page, 'chat-conversations');
  await page.getByTestId('conversation-search').fill('diffusion');
  await expect(page.getByTestId('conversation')).toHaveCount(1);
  await act(page, 'Osmosis and diffusion', 'conversation-rename');
  await page.getByTestId('conversation-title').fill('Diffusion, for the exam');
  await check(page);
  await page.getByTestId('conversation-title').press('Enter');
  await expect(conversation(page, 'Diffusion, for the exam')).toBeVisible();

  const download = page.waitForEvent('download');
  await act(page, 'Diffusion, for the exam', 'conversation-export');
  expect((await download).suggestedFilename()).toBe('Diffusion, for the exam.md');

  await page.getByTestId('conversation-search').fill('');
  await expect(conversation(page, 'Osmosis and turgor')).toBeVisible();
  await act(page, 'Osmosis and turgor', 'conversation-delete');
  await page.getByTestId('confirm-btn').click();
  await expect(conversation(page, 'Osmosis and turgor')).toHaveCount(0);
  // It was on the page: a new one begins.
  await expect(page.getByTestId('welcome')).toBeVisible();
  await page.goto(`/chat/${tutor}?c=00000000-0000-4000-8000-000000000000`);
  await expect(page.getByTestId('problem')).toHaveAttribute('data-code', 'not_found');
});

test('pictures are attached, dropped, looked at and removed before they are sent', async ({ page }) => {
  await page.goto(`/chat/${tutor}`);
  await expect(input(page)).toBeVisible();
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 40 } });
  const file = (name: string) => ({ name, mimeType: 'image/png', buffer: picture });
  await page.getByTestId('picture-input').setInputFiles([file('one.png'), file('two.png')]);
  const chosen = page.getByTestId('chosen-picture');
  await expect(chosen).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove one.png' }).click();
  await expect(chosen).toHaveCount(1);
  const bytes = picture.toString('base64');
  const transfer = await page.evaluateHandle((base64) => {
    const data = new DataTransfer();
    const picture = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    data.items.add(new File([picture], 'three.png', { type: 'image/png' }));
    return data;
  }, bytes);
  await page.getByTestId('chat').dispatchEvent('drop', { dataTransfer: transfer });
  await expect(chosen).toHaveCount(2);
  await check(page);
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await ask(page, 'What is in these?');
  const { content } = (await sent).postDataJSON();
  expect(content.map(({ type }: { type: string }) => type)).toEqual(['text', 'image_url', 'image_url']);
  await ended(page);
  await expect(chosen).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId('chat-question').getByRole('img')).toHaveCount(2);
});

test('a course page frames the chat only where the operator allows it', async ({ browser }) => {
  // The test starts a service of its own.
  test.setTimeout(180_000);
  const course = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Course</title><iframe src="${service.url}/chat/${id}" width="390" height="700"
      title="Tutor"></iframe><iframe src="${service.url}/assistants" title="Other"></iframe>`);
  });
  await new Promise<void>((resolve) => course.listen(0, '127.0.0.1', resolve));
  const { port } = course.address() as AddressInfo;
  // The same site, and another one: browsers send the session's cookie to the first only.
  const [same, foreign] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const service = await startService({ env: { FRAME_ANCESTORS: `${same},${foreign}` } });
  const { id } = await apiOf(service).post('/api/v1/assistants', {
    name: 'Framed',
    prompt_template: '{user_input}',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
  });
  const context = await browser.newContext({ storageState: NOBODY, locale: 'en-GB' });
  await signIn(context, service.url, service.key);
  try {
    const page = await context.newPage();
    await page.goto(same);
    const chat = page.frameLocator('iframe[title="Tutor"]');
    await expect(chat.getByRole('heading', { level: 1 })).toHaveText('Framed');
    await expect(chat.getByTestId('account-menu')).toHaveCount(0);
    await chat.getByTestId('chat-input').fill('osmosis');
    await chat.getByTestId('chat-input').press('Enter');
    await expect(chat.getByTestId('reply')).toHaveAttribute('data-status', 'completed');
    await expect(page.frameLocator('iframe[title="Other"]').getByTestId('assistants-list')).toHaveCount(0);

    await page.goto(foreign);
    await expect(chat.getByTestId('frame-door')).toContainText('not signed in here');
    const opened = context.waitForEvent('page');
    await chat.getByTestId('open-window').click();
    await expect((await opened).getByTestId('chat-input')).toBeVisible();

    const teacher = await context.newPage();
    await teacher.goto(`${service.url}/assistants`);
    await teacher.getByTestId('assistant-actions').first().click();
    await teacher.getByTestId('action-publish').click();
    await teacher.getByTestId('embed-summary').click();
    await expect(teacher.getByTestId('embed-on')).toContainText(foreign);
  } finally {
    await context.close();
    await service.stop();
    course.close();
  }
});

test('a teacher hands out the link, the code and the frame; programs come last', async ({ page, service }) => {
  await page.goto(`/assistants?q=${encodeURIComponent('Biology tutor')}`);
  await page.getByTestId('assistant-actions').first().click();
  await page.getByTestId('action-publish').click();
  const dialog = page.getByTestId('publication-dialog');
  await expect(dialog.getByTestId('chat-link-value')).toHaveText(`${service.url}/chat/${tutor}`);
  await expect(dialog.getByTestId('model-id')).toBeHidden();
  await dialog.getByTestId('qr-summary').click();
  await expect(dialog.getByTestId('qr-code')).toBeVisible();
  for (const [button, name] of [
    ['qr-png', 'Biology tutor.png'],
    ['qr-svg', 'Biology tutor.svg'],
  ] as const) {
    const download = page.waitForEvent('download');
    await dialog.getByTestId(button).click();
    expect((await download).suggestedFilename()).toBe(name);
  }
  await dialog.getByTestId('embed-summary').click();
  await expect(dialog.getByTestId('embed-off')).toContainText('FRAME_ANCESTORS');
  await expect(dialog.getByTestId('embed-code')).toContainText(`<iframe src="${service.url}/chat/${tutor}"`);
  await check(page);
  await shot(page, 'publication-link');
  await dialog.getByTestId('api-summary').click();
  await expect(dialog.getByTestId('model-id')).toHaveText(`lamb_assistant.${tutor}`);
});

test('a teacher lets a class in by a code, and a student without an account asks at once', async ({
  page,
  browser,
  service,
}) => {
  await page.goto(`/assistants?q=${encodeURIComponent('Biology tutor')}`);
  await page.getByTestId('assistant-actions').first().click();
  await page.getByTestId('action-publish').click();
  const section = page.getByTestId('join-links');
  await section.getByTestId('join-uses').fill('1');
  await section.getByTestId('join-make').click();
  const code = (await section.getByTestId('join-code').textContent()) ?? '';
  expect(code).toMatch(/^\w{4}-\w{4}$/);
  await check(page);
  await shot(page, 'join-link');

  const context = await browser.newContext({
    baseURL: service.url,
    storageState: NOBODY,
    viewport: { width: 390, height: 800 },
  });
  const student = await context.newPage();
  await student.goto('/sign-in');
  await student.getByRole('link', { name: 'I have a code from my teacher' }).click();
  await student.getByTestId('join-code-input').fill('AAAA-AAAA');
  await student.getByTestId('join-open').click();
  await expect(student.getByTestId('join-unknown')).toBeVisible();
  await student.getByTestId('join-code-input').fill(code.toLowerCase());
  await student.getByTestId('join-open').click();
  await expect(student.getByTestId('join-name')).toHaveText('Biology tutor');
  await check(student);
  await shot(student, 'join');
  await student.getByTestId('join-btn').click();
  await expect(student.getByText('Enter your name.')).toBeVisible();
  await student.getByTestId('join-your-name').fill('Ada Example');
  await student.getByTestId('join-btn').click();
  await expect(student).toHaveURL(new RegExp(`/chat/${tutor}$`));
  await expect(student.getByTestId('chat-input')).toBeVisible();
  await context.close();

  const late = await browser.newContext({ baseURL: service.url, storageState: NOBODY });
  const second = await late.newPage();
  await second.goto(`/join/${code.replace('-', '')}`);
  await expect(second.getByTestId('problem')).toContainText('as many people as it may');
  await late.close();
  await section.getByTestId('join-revoke').click();
  await expect(section.getByTestId('join-code')).toHaveCount(0);
});

test('students see the assistants that they may ask, and one alone opens at once', async ({ browser, service }) => {
  const context = await asStudent(browser, service, { viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  // A chat without an assistant is the list of them.
  await page.goto('/chat');
  await expect(page).toHaveURL(/\/assistants$/);
  const card = page.getByTestId('assistant-card').filter({ hasText: 'Biology tutor' });
  await expect(card).toBeVisible();
  await expect(page.getByTestId('filter-classic')).toHaveCount(0);
  await expect(page.locator('main')).not.toContainText(/Only mine|May use|Multi-Tool|Changed/);
  await expect(page.getByTestId('main-nav')).toHaveText(/^\s*Assistants\s*$/);
  await check(page);
  await shot(page, 'student-list');
  await card.getByTestId('chat-link').click();
  await expect(page).toHaveURL(new RegExp(`/chat/${tutor}$`));
  // Pages of authors lead there, too.
  for (const path of [`/playground/${tutor}`, `/multi-tool-assistants/${tutor}`]) {
    await page.goto(path);
    await expect(page).toHaveURL(new RegExp(`/chat/${tutor}$`));
  }
  await page.route('**/api/v1/assistants?*', async (route) => {
    const found = await (await route.fetch()).json();
    const items = found.items.filter((one: any) => one.id === tutor);
    await route.fulfill({ json: { ...found, items, total: 1 } });
  });
  await page.goto('/');
  await expect(page).toHaveURL(new RegExp(`/chat/${tutor}$`));
  await context.close();
});

test('the chat holds in every language, and by keyboard alone', async ({ page }) => {
  test.setTimeout(120_000);
  await holdEverywhere(page, 'chat', `/chat/${tutor}`);
  await speak(page, 'en');
  await ask(page, 'Osmosis by keyboard');
  await ended(page);
  await check(page);
  await page.waitForLoadState('networkidle');
  await reachable(page, 'chat');
  for (const locale of LOCALES) {
    await speak(page, locale);
    await expect(page.getByTestId('status-line')).not.toContainText('chat.');
  }
});

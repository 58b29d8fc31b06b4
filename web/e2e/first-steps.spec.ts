import { expect, type Page, test } from '@playwright/test';
import { apiOf, check, picture, shot, watch } from './support/fixtures';
import { type Service, startService } from './support/service';

/** No model, a demo course, and nobody but the first administrator. */
let service: Service;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  service = await startService({ fresh: true, env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', SEED_DEMO: 'true' } });
});
test.afterAll(() => service.stop());

const QUESTION = 'What moves water through a membrane?';
const SENTENCE = 'Osmosis moves water through a membrane that lets the solute stay.';
const OSMOSIS = `# Osmosis\n\n${SENTENCE}\n\n# Diffusion\n\nDiffusion evens out concentrations.\n`;

async function signInAs(page: Page, email: string, role: string): Promise<void> {
  const api = apiOf(service);
  const members = '/api/v1/organizations/default/members';
  await api.post(members, { email, name: email, role });
  const { url } = await api.post(`${members}/${email}/sign-in-link`);
  await page.goto(new URL(url, service.url).href);
  await page.getByTestId('link-sign-in-btn').click();
}

test('an administrator signs in by the first link, tests and connects a provider, and lets a teacher in', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const faults = watch(page, service.url);
  const link = new URL(/http:\/\/\S+\/sign-in\/\S+/.exec(service.output())?.[0] ?? '');
  await page.goto(`${service.url}${link.pathname}`);
  const steps = page.getByTestId('first-steps');
  await expect(steps).toBeVisible();
  await expect(steps.getByTestId('no-model')).toContainText('Answers are quotations');
  await expect(steps.getByTestId('connect-model')).toHaveAttribute('href', '/organization/providers');
  // The demo's material and assistants are nobody's doing.
  await expect(page.getByTestId('step-material')).not.toHaveClass(/done/);
  await expect(page.getByTestId('step-assistant')).not.toHaveClass(/done/);
  await check(page);
  await shot(page, 'first-steps');
  await page.getByTestId('step-quotations').click();
  await expect(page.getByTestId('step-model')).toHaveClass(/done/);
  // It stays true, and stays said.
  await expect(page.getByTestId('no-model')).toBeVisible();
  await page.getByTestId('step-ask-go').click();
  await expect(page.getByTestId('playground').getByTestId('no-model')).toBeVisible();
  await page.getByRole('textbox').first().fill('Is a mean of 10 minutes typical?');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('answer')).toContainText('ten minutes typical');
  await shot(page, 'first-answer');
  await page.locator('a.brand').click();
  await expect(page.getByTestId('step-ask')).toHaveClass(/done/);

  await page.getByTestId('connect-model').first().click();
  await page.getByTestId('vendor-openai').check();
  const provider = page.getByTestId('new-provider');
  await provider.getByLabel('API key').fill('sk-scripted');
  await provider.getByLabel('Base URL').fill(service.vendor);
  await provider.getByTestId('test-connection').click();
  await expect(provider.getByTestId('test-outcome')).toContainText('The provider offers 1 model');
  await provider.getByLabel('gpt-4o-mini').check();
  await page.getByTestId('add-provider').click();
  await expect(page.getByTestId('provider-openai').getByTestId('health')).toHaveAttribute('data-ok', 'true');
  await page.locator('a.brand').click();
  await expect(page.getByTestId('step-publish')).toBeVisible();
  await expect(page.getByTestId('no-model')).toHaveCount(0);

  await page.getByTestId('nav-administration').click();
  await page.getByTestId('nav-organization').click();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByTestId('add-member').click();
  await page.getByTestId('member-email').fill('tina@example.edu');
  await page.getByTestId('member-name').fill('Tina Teacher');
  await page.getByTestId('member-save').click();
  const made = page.getByTestId('new-key-value');
  await expect(made).toHaveValue(/\/sign-in#link=[\w-]{43}$/);
  await check(page);
  await shot(page, 'member-link');
  const address = await made.inputValue();
  await page.getByTestId('sign-in-link-done').click();
  const row = page.getByTestId('member-row').filter({ hasText: 'tina@example.edu' });
  await expect(row.getByTestId('member-invited')).toHaveText('Invited, not yet signed in');

  const context = await browser.newContext();
  const teacher = await context.newPage();
  await teacher.goto(address);
  await expect(teacher.getByTestId('link-sign-in')).toContainText('Tina Teacher (tina@example.edu)');
  await check(teacher);
  await shot(teacher, 'sign-in-link');
  await teacher.getByTestId('link-sign-in-btn').click();
  await expect(teacher.getByTestId('step-model')).toHaveClass(/done/);
  await expect(teacher.getByTestId('no-model')).toHaveCount(0);
  await check(teacher);

  const again = await context.newPage();
  await again.goto(address);
  await expect(again.getByTestId('link-used')).toBeVisible();
  await context.close();
  await page.reload();
  await expect(row).toBeVisible();
  await expect(row.getByTestId('member-invited')).toHaveCount(0);
  expect(faults).toEqual([]);
});

test('a teacher without a model is told whom to ask, and closes the first steps for good', async ({ page }) => {
  const api = apiOf(service);
  await api.patch('/api/v1/organizations/default', { providers: { openai: null } });
  await signInAs(page, 'tom@example.edu', 'teacher');
  await expect(page.getByTestId('step-model').getByTestId('no-model')).toContainText('ask ');
  await expect(page.getByTestId('connect-model')).toHaveCount(0);
  await check(page);
  await page.getByTestId('first-steps-close').click();
  await expect(page.getByTestId('first-steps')).toHaveCount(0);
  await expect(page.getByTestId('no-model')).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('no-model')).toBeVisible();
  await expect(page.getByTestId('first-steps')).toHaveCount(0);
});

test('a teacher without a model publishes quotations once their test passes', async ({ page }) => {
  test.setTimeout(120_000);
  const faults = watch(page, service.url);
  await apiOf(service).patch('/api/v1/organizations/default', { providers: { openai: null } });
  await signInAs(page, 'lena@example.edu', 'teacher');
  await expect(page.getByTestId('step-publish')).toBeVisible();
  await picture(page, 'first-steps');
  await page.getByTestId('step-quotations').click();
  await expect(page.getByTestId('step-model')).toHaveClass(/done/);
  await page.getByTestId('step-material-go').click();
  await page.getByTestId('kb-name-input').fill('Cell biology');
  await page.getByTestId('save-btn').click();
  await expect(page).toHaveURL(/\/knowledge-bases\/[0-9a-f-]{36}$/);
  await page
    .getByTestId('upload-box')
    .locator('input[type=file]')
    .setInputFiles({ name: 'osmosis.md', mimeType: 'text/markdown', buffer: Buffer.from(OSMOSIS) });
  await expect(page.getByTestId('document')).toHaveAttribute('data-status', 'completed', { timeout: 30_000 });
  await page.locator('a.brand').click();
  await expect(page.getByTestId('step-material')).toHaveClass(/done/);
  await page.getByTestId('step-assistant-go').click();
  await page.locator('[data-recipe="course-questions"]').getByRole('link').click();
  await page.getByRole('radio', { name: /Cell biology/ }).check();
  await page.getByTestId('recipe-name').fill('Cell tutor');
  await page.getByTestId('recipe-make').click();

  await page.getByTestId('question-input').fill(QUESTION);
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('answer').locator('blockquote')).toContainText(SENTENCE);
  await picture(page, 'quotations');
  await page.goto(`${service.url}/runs`);
  await page.getByTestId('run-row').filter({ hasText: QUESTION }).getByRole('link').click();
  await page.getByTestId('make-test').click();
  const dialog = page.getByTestId('test-dialog');
  await expect(dialog.getByTestId('test-question')).toHaveValue(QUESTION);
  await expect(dialog.getByTestId('expectation')).toHaveCount(3);
  await check(page);
  await picture(page, 'test-of-a-run');
  await dialog.getByTestId('save-test').click();
  await page.getByTestId('gate-required').check();
  await expect(page.getByTestId('gate-standing')).toContainText('does not pass its tests yet');
  await page.getByTestId('run-tests').click();
  await expect(page.getByTestId('test-standing')).toHaveText('1 of 1 tests passed.');
  await expect(page.getByTestId('gate-standing')).toContainText('Version 1 passes its tests.');
  await picture(page, 'test-results');

  await page.getByTestId('breadcrumbs').getByRole('link', { name: 'Cell tutor' }).click();
  await page.getByTestId('publish-first-btn').click();
  const publication = page.getByTestId('publication-dialog');
  await expect(publication.getByTestId('gate-standing')).toContainText('passes its tests.');
  await publication.getByTestId('publish-btn').click();
  await page.goto((await publication.getByTestId('chat-link-value').textContent()) ?? '');
  await expect(page.getByTestId('quotations')).toBeVisible();
  const reply = page.getByTestId('reply').last();
  for (const [question, text] of [
    [QUESTION, SENTENCE],
    ['Who painted the Mona Lisa?', /No material was found|The material has no answer/],
  ] as const) {
    await page.getByTestId('chat-input').fill(question);
    await page.getByTestId('chat-send').click();
    await expect(reply).toContainText(text);
    await expect(reply).toHaveAttribute('data-status', 'completed');
  }
  await expect(reply.locator('blockquote')).toHaveCount(0);
  expect(faults).toEqual([]);
});

test('a student sees neither steps nor the notice', async ({ page, context }) => {
  await signInAs(page, 'sam@example.edu', 'member');
  // The list is read after the person, on whose role the steps depend.
  // The one assistant that is published meets them in its chat.
  await expect(page.getByTestId('chat-input').or(page.getByTestId('empty-state'))).toBeVisible();
  await expect(page.getByTestId('first-steps')).toHaveCount(0);
  await expect(page.getByTestId('no-model')).toHaveCount(0);
  expect((await context.cookies()).map(({ name }) => name)).toEqual(['bw']);
});

test('the form says that Automatic asks no model', async ({ page }) => {
  await signInAs(page, 'ted@example.edu', 'teacher');
  await expect(page.getByTestId('first-steps')).toBeVisible();
  await page.goto(`${service.url}/multi-tool-assistants/create`);
  await expect(page.getByTestId('connector-select')).toBeVisible();
  await expect(page.getByText('“Automatic” answers with quotations')).toBeVisible();
  await expect(page.getByTestId('no-model').first()).toBeVisible();
  await page.getByTestId('connector-select').selectOption('bypass');
  await expect(page.getByText('“Automatic” answers with quotations')).toHaveCount(0);
});

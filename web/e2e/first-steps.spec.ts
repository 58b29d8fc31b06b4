import { expect, type Page, test } from '@playwright/test';
import { apiOf, check, shot, watch } from './support/fixtures';
import { type Service, startService } from './support/service';

/** No model, a demo course, and nobody but the first administrator. */
let service: Service;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  service = await startService({ fresh: true, env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '', SEED_DEMO: 'true' } });
});
test.afterAll(() => service.stop());

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
  await expect(page.getByTestId('step-material')).toHaveClass(/done/);
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

test('a student sees neither steps nor the notice', async ({ page, context }) => {
  await signInAs(page, 'sam@example.edu', 'member');
  // The list is read after the person, on whose role the steps depend.
  await expect(page.getByTestId('empty-state').or(page.getByTestId('assistant-card').first())).toBeVisible();
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

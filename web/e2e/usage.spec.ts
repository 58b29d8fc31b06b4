// Usage with its plot and tables, the limits of an organization, and the prices of models.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { check, checkRules, expect, type Page, picture, shot, test, uncover } from './support/fixtures';
import { holdEverywhere } from './support/pages';
import { daysAgo, monthOfUsage } from './support/usage';

const ORGANIZATION = '/api/v1/organizations/default';
const LIMITS = '/organization/limits';
const PRICE = { provider: 'openai', model: 'gpt-4o-mini', from: '2020-01-01', input: 0.15, output: 0.6 };

test.describe.configure({ mode: 'serial' });
test.beforeAll(async ({ api, service }) => monthOfUsage(api, service));

const detail = (page: Page) => page.getByTestId('plot-detail');

test('an administrator sees what was used, by mouse and by keyboard', async ({ page, api }) => {
  await api.patch(ORGANIZATION, { prices: { currency: 'EUR', models: [PRICE] } });
  await page.goto('/organization');
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  const totals = page.getByTestId('usage-totals');
  await expect(totals).toContainText('€');
  const { totals: figures } = await api.get(`${ORGANIZATION}/usage`);
  await expect(totals).toContainText(new Intl.NumberFormat('en-GB').format(figures.runs));
  await expect(page.getByTestId('unpriced')).toContainText('gpt-4o');

  const plot = page.getByRole('slider', { name: 'Usage by day' });
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  await expect(detail(page)).toContainText(today.format(new Date(daysAgo(0))));
  await plot.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(detail(page)).toContainText(today.format(new Date(daysAgo(1))));
  await page.keyboard.press('Home');
  await expect(plot).toHaveAttribute('aria-valuenow', '1');
  await expect(detail(page)).toContainText(today.format(new Date(daysAgo(29))));
  const box = await plot.boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 5, (box?.y ?? 0) + 60);
  await expect(plot).toHaveAttribute('aria-valuenow', '30');
  await expect(plot).toHaveAttribute('aria-valuetext', (await detail(page).textContent()) ?? '');

  await page.getByTestId('measure-tokens').check();
  await expect(detail(page)).not.toContainText('€');
  await page.getByTestId('split-assistant').check();
  await expect(page.getByTestId('usage-plot')).toContainText('Mechanics tutor');
  await picture(page, 'usage');
});

test('tables have the same numbers, and a spreadsheet gets them without formulas', async ({ page, api }) => {
  await page.goto('/organization/usage');
  await expect(page.getByTestId('usage-row')).toHaveCount(30);
  await page.getByTestId('tab-assistant').click();
  const rows = page.getByTestId('usage-row');
  await expect(rows).toHaveCount(2);
  const { items } = await api.get(`${ORGANIZATION}/usage?by=assistant`);
  await expect(rows.first()).toContainText(new Intl.NumberFormat('en-GB').format(items[0].prompt_tokens));

  const saved = page.waitForEvent('download');
  await page.getByTestId('csv').click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`usage-default-assistant-${daysAgo(29)}-${daysAgo(0)}.csv`);
  const bytes = readFileSync(await file.path());
  // Spreadsheets take a file for UTF-8 by its byte order mark.
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  const table: Record<string, string>[] = parse(bytes, { columns: true, bom: true });
  expect(table.map(({ assistant }) => assistant).sort()).toEqual(["'=Essay feedback", 'Mechanics tutor']);
  expect(table[0]).toMatchObject({ runs: String(items[0].runs), currency: 'EUR' });
});

test('people can be shown without their names', async ({ page, api }) => {
  const { user } = await api.get('/api/v1/me');
  await page.goto('/organization/usage');
  await page.getByTestId('tab-person').click();
  const table = page.getByTestId('usage-table');
  await expect(table).toContainText(user.email);
  await page.getByTestId('pseudonyms').check();
  await expect(table).not.toContainText(user.email);
  await expect(table).toContainText(/[0-9a-f]{12}/);
  await api.patch(ORGANIZATION, { privacy: { usage_people: 'pseudonymous' } });
  await page.reload();
  await page.getByTestId('tab-person').click();
  await expect(page.getByTestId('pseudonyms-forced')).toBeVisible();
  await expect(table).not.toContainText(user.email);
  await api.patch(ORGANIZATION, { privacy: null });
});

test('another period is chosen, and an impossible one is refused', async ({ page }) => {
  await page.goto('/organization/usage');
  await page.getByRole('button', { name: '7 days' }).click();
  await expect(page.getByTestId('usage-from')).toHaveValue(daysAgo(6));
  await expect(page.getByTestId('usage-row')).toHaveCount(7);
  await page.getByTestId('usage-from').fill(daysAgo(2));
  await expect(page.getByTestId('usage-row')).toHaveCount(3);
  await page.getByTestId('usage-to').fill(daysAgo(5));
  await expect(page.getByText('The last day must not be before the first')).toBeVisible();
  await expect(page.getByTestId('usage-row')).toHaveCount(3);
  await page.getByRole('button', { name: '90 days' }).click();
  await expect(page.getByTestId('usage-plot').getByRole('slider')).toHaveAttribute('aria-valuemax', '90');
});

test('limits are read as sentences, made, changed and removed', async ({ page, api }) => {
  await page.goto(LIMITS);
  await expect(page.getByTestId('rules').getByTestId('empty')).toBeVisible();
  await page.getByTestId('new-rule').click();
  await expect(page.getByTestId('rule-sentence')).toHaveText('Each person: 50,000 tokens a day, then stop.');
  await check(page);
  await shot(page, 'limits-dialog');
  await page.getByTestId('rule-amount').fill('162');
  await page.getByTestId('rule-save').click();
  await expect(page.getByTestId('rule')).toHaveText('Each person: 162 tokens a day, then stop.');
  const rules = async (): Promise<unknown> => (await api.get(ORGANIZATION)).limits.rules;
  const first = { id: 'tokens-person-day', for: { kind: 'person' }, limit: 'tokens', amount: 162, per: 'day' };
  expect(await rules()).toEqual([first]);
  await picture(page, 'limits');

  await page.getByTestId('new-rule').click();
  await page.getByTestId('rule-limit').selectOption('cost');
  await page.getByTestId('rule-kind').selectOption('organization');
  await page.getByTestId('rule-amount').fill('12.5');
  await page.getByTestId('rule-per').selectOption('month');
  await page.getByTestId('rule-ending').selectOption('fast_model');
  await page.getByTestId('rule-save').click();
  await expect(page.getByTestId('rule').last()).toHaveText(
    'The whole organization: €12.50 a month, then the fast model answers.',
  );

  await page.getByRole('button', { name: /^Change the limit: The whole/ }).click();
  await page.getByTestId('rule-limit').selectOption('storage');
  await page.getByTestId('rule-amount').fill('500');
  await page.getByTestId('rule-save').click();
  await expect(page.getByTestId('rule').last()).toHaveText('The whole organization: 500 MB, then stop.');
  expect(await rules()).toEqual([
    first,
    { id: 'cost-organization-month', for: { kind: 'organization' }, limit: 'storage', amount: 500_000_000 },
  ]);

  await page.getByRole('button', { name: /^Remove the limit: The whole/ }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByTestId('rule')).toHaveCount(1);
});

test('terms and prices are set', async ({ page, api }) => {
  await page.goto(LIMITS);
  const terms = page.getByTestId('terms');
  await terms.getByRole('button', { name: 'Add a term' }).click();
  await terms.getByLabel('Name').fill('Autumn');
  await terms.getByLabel('First day').fill('2026-09-01');
  await terms.getByLabel('Last day').fill('2026-12-20');
  await terms.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await api.get(ORGANIZATION)).limits.terms)
    .toEqual([{ name: 'Autumn', from: '2026-09-01', to: '2026-12-20' }]);

  const prices = page.getByTestId('prices');
  await prices.getByTestId('unpriced').getByRole('button', { name: 'gpt-4o (openai)' }).click();
  const row = prices.getByTestId('price').last();
  await expect(row.getByLabel('Model')).toHaveValue('gpt-4o');
  await row.getByTestId('price-input').fill('2.5');
  await row.getByTestId('price-output').fill('10');
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await prices.getByRole('button', { name: 'Save' }).click();
  await (await saved).finished();
  await expect
    .poll(async () => (await api.get(ORGANIZATION)).prices)
    .toEqual({
      currency: 'EUR',
      models: [PRICE, { ...PRICE, model: 'gpt-4o', from: daysAgo(0), input: 2.5, output: 10 }],
    });

  // What was saved is not asked about when the page is left, although it came back with its keys in another order.
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.getByRole('link', { name: 'Members' }).click();
  await expect(page).toHaveURL(/\/members$/);
  expect(asked).toEqual([]);
  await page.goto(LIMITS);
  await uncover(page);
  await checkRules(page);
});

test('a limit that is used up is shown to administrators and in the playground', async ({ page, api }) => {
  const assistant = await api.post('/api/v1/assistants', {
    name: 'Limited',
    prompt_template: '{user_input}',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini' },
  });
  const rule = { id: 'questions', for: { kind: 'person' }, limit: 'requests', amount: 1, per: 'day' };
  await api.patch(ORGANIZATION, { limits: { rules: [rule] } });
  await page.goto(`/playground/${assistant.id}`);
  await page.getByTestId('question-input').fill('What moves?');
  await page.getByTestId('ask-btn').click();
  await expect(page.getByTestId('run').last()).toHaveAttribute('data-status', 'completed');
  await expect.poll(async () => (await api.get('/api/v1/me/limits')).items[0].percent).toBe(100);
  await page.reload();
  await expect(page.getByTestId('limit-banner')).toHaveText('Your limit is used up: 1 question of 1 question a day.');
  await check(page);
  await page.goto('/organization/usage');
  await expect(page.getByTestId('standing').first()).toHaveAttribute('data-level', 'bad');
  await expect(page.getByTestId('standing').first()).toContainText('1 question of 1 question a day (100%)');
});

test('both pages hold in every language, scheme and width', async ({ page }) => {
  await holdEverywhere(page, 'usage', '/organization/usage');
  await holdEverywhere(page, 'limits', LIMITS);
});

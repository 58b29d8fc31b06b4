// A new assistant's form in two steps: what is typed, pressed and left before the whole form is there.
import { expect, type Page, shot, test } from './support/fixtures';
import { pressable } from './support/pointer';

const TYPES = [
  { type: 'classic', path: '/assistants/create', offers: '**/api/v1/rag-processors', crumb: /\/assistants$/ },
  { type: 'multi-tool', path: '/multi-tool-assistants/create', offers: '**/api/v1/tools', crumb: /\/assistants$/ },
] as const;

/** Shown by the whole form only. */
const whole = (page: Page) => page.getByTestId('checklist-btn');

/** Holds back what the form offers until `release` is called. */
async function hold(page: Page, path: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(path, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

for (const { type, path, offers, crumb } of TYPES) {
  test(`a new ${type} form that cannot be prepared keeps what was typed and can be tried again`, async ({
    page,
    api,
  }) => {
    const name = `Kept over a failure, ${type}`;
    await page.route(offers, (route) => route.abort());
    await page.goto(path);
    await page.getByTestId('name-input').fill(name);
    await page.getByTestId('system-prompt-input').fill('Typed before');
    const problem = page.getByTestId('problem');
    await expect(problem).toHaveAttribute('data-code', 'offline');
    if (type === 'classic') await shot(page, 'new-form-problem');

    // A press that failed is over, and is not made up for later.
    await page.getByTestId('save-btn').click();
    await expect(problem).toBeVisible();
    await expect(page.getByTestId('save-btn')).toHaveAttribute('aria-busy', 'false');

    await page.unroute(offers);
    const retry = problem.getByRole('button', { name: 'Try again' });
    await pressable(retry);
    await retry.click();
    await expect(whole(page)).toBeVisible();
    await expect(problem).toHaveCount(0);
    await expect(page.getByTestId('name-input')).toHaveValue(name);
    await expect(page.getByTestId('system-prompt-input')).toHaveValue('Typed before');
    await expect(page.getByTestId('dirty-badge')).toBeVisible();
    expect((await api.get(`/api/v1/assistants?q=${encodeURIComponent(name)}`)).total).toBe(0);
  });

  test(`the trail leads from a new ${type} form back to the list, and what was typed is offered again`, async ({
    page,
  }) => {
    await page.goto(path);
    await page.getByTestId('breadcrumbs').getByRole('link').click();
    await expect(page).toHaveURL(crumb);
    await expect(page.getByTestId('search-input')).toBeVisible();

    // Before the whole form is there nothing can ask, so nothing is lost either.
    await page.route(offers, (route) => route.abort());
    await page.goto(path);
    await page.getByTestId('name-input').fill('Left too early');
    await expect(page.getByTestId('problem')).toBeVisible();
    await page.getByTestId('breadcrumbs').getByRole('link').click();
    await expect(page).toHaveURL(crumb);
    await page.unroute(offers);
    await page.goto(path);
    await expect(page.getByTestId('draft-notice')).toBeVisible();
    await page.getByTestId('restore-draft-btn').click();
    await expect(page.getByTestId('name-input')).toHaveValue('Left too early');
  });
}

test('a save that was pressed too early is made once, with what was typed since, and nothing stays busy', async ({
  page,
  api,
}) => {
  const release = await hold(page, '**/api/v1/connectors');
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Pressed early');
  const save = page.getByTestId('save-btn');
  await save.click();
  await expect(save).toHaveAttribute('aria-busy', 'true');
  await save.click();
  await page.keyboard.press('Control+s');
  await page.getByTestId('name-input').fill('Pressed early, typed on');
  release();
  await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+$/);
  await expect(page.locator('.success-message')).toContainText('Pressed early, typed on');
  await expect(save).not.toHaveAttribute('aria-busy', 'true');
  await expect(save).toBeEnabled();
  expect((await api.get('/api/v1/assistants?q=Pressed%20early')).total).toBe(1);
});

test('a menu that was pressed too early opens, unless somebody has gone on writing', async ({ page }) => {
  let release = await hold(page, '**/api/v1/connectors');
  await page.goto('/multi-tool-assistants/create');
  const add = page.getByTestId('add-tool-btn');
  await add.click();
  await expect(add).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(page.getByTestId('tool-option-simple_rag')).toBeVisible();
  await expect(add).not.toHaveAttribute('aria-busy', 'true');
  await page.unroute('**/api/v1/connectors');

  release = await hold(page, '**/api/v1/connectors');
  await page.goto('/multi-tool-assistants/create');
  await add.click();
  await page.getByTestId('name-input').click();
  await page.keyboard.type('Gone on ');
  await expect(add).toHaveAttribute('aria-busy', 'false');
  release();
  await expect(whole(page)).toBeVisible();
  await page.keyboard.type('writing');
  await expect(page.getByTestId('name-input')).toHaveValue('Gone on writing');
  await expect(page.getByTestId('name-input')).toBeFocused();
  await expect(page.getByTestId('tool-option-simple_rag')).toHaveCount(0);
});

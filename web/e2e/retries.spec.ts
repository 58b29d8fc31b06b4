// What cannot be fetched says so where it is missing, and its buttons can be pressed there: every place that offers it.
import type { Locator } from '@playwright/test';
import { expect, type Page, test } from './support/fixtures';
import { PARTS, PLACES } from './support/places';
import { pressable, pressSlowly } from './support/pointer';
import { type Made, somethingOfEverything } from './support/something';

let made: Made;
test.beforeAll(async ({ api }) => {
  made = await somethingOfEverything(api);
});

for (const [where, places] of Object.entries(PLACES)) {
  test(`what cannot be fetched can be tried again: ${where}`, async ({ page }) => {
    test.setTimeout(120_000);
    for (const [index, { name, path, fails, until, shows, kept }] of places.entries()) {
      await test.step(name, async () => {
        const isThere = until !== undefined && !kept && path === places[index - 1]?.path;
        if (isThere) await closeDialogs(page);
        await page.route(fails, (route) => route.abort());
        if (!isThere) await page.goto(path(made));
        await until?.(page);
        const problem = page.getByTestId('problem').first();
        await expect(problem).toHaveAttribute('data-code', 'offline');
        const retry = problem.getByRole('button', { name: 'Try again' });
        if (index === 0) await pressInVain(page, retry);
        await page.unroute(fails);
        const before = await page.getByTestId('problem').count();
        await pressSlowly(retry);
        await expect(page.locator(shows).first()).toBeVisible();
        await expect(page.getByTestId('problem')).toHaveCount(before - 1);
      });
    }
  });
}

/** Dialogs of one place would lie over the next place of the same page, which is not loaded again. */
async function closeDialogs(page: Page): Promise<void> {
  const dialog = page.locator('dialog[open]');
  for (let open = await dialog.count(); open > 0; open--) {
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(open - 1);
  }
}

/** The button is there again, and can be pressed again. It is the same part everywhere. */
async function pressInVain(page: Page, retry: Locator): Promise<void> {
  const failed = page.waitForEvent('requestfailed');
  await pressSlowly(retry);
  await failed;
  await expect(page.getByTestId('problem').first()).toHaveAttribute('data-code', 'offline');
}

test('parts of a page whose script cannot be loaded say so, and can be tried again or loaded anew', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const scripts = '**/_app/immutable/**';
  for (const [index, { name, path, until, shows }] of PARTS.entries()) {
    await test.step(name, async () => {
      if (path === PARTS[index - 1]?.path) await closeDialogs(page);
      else {
        await page.goto(path(made));
        await page.waitForLoadState('networkidle');
      }
      await page.route(scripts, (route) => route.abort());
      await until(page);
      const problem = page.getByTestId('problem').first();
      await expect(problem).toHaveAttribute('data-code', 'page_part_missing');
      await pressSlowly(problem.getByRole('button', { name: 'Try again' }));
      await expect(problem).toBeVisible();
      await page.unroute(scripts);
      // Some browsers try again, others keep it that the script is missing: then the page is loaded anew.
      const again = problem.getByRole('button', { name: 'Try again' });
      await pressSlowly(again);
      const part = page.locator(shows).first();
      await expect(part.or(problem).first()).toBeVisible();
      if (await part.isVisible()) return;
      const anew = problem.getByRole('button', { name: 'Reload' });
      await pressable(anew);
      await anew.click();
      await page.waitForLoadState('networkidle');
      await until(page);
      await expect(part).toBeVisible();
    });
  }
});

import { check, expect, test } from './support/fixtures';

test('every page leads to its page of the guide, which leads on to others', async ({ page }) => {
  await page.goto('/organization/usage');
  await page.getByTestId('account-menu').click();
  await page.getByTestId('help').click();
  await page.getByTestId('help-topic').click();
  await expect(page).toHaveURL(/\/help\/usage$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Usage');
  const article = page.getByTestId('help-page');
  await expect(article.locator('img').first()).toBeVisible();
  await check(page);
  await article.getByRole('link').and(article.locator('[href^="/help/limits"]')).first().click();
  await expect(page).toHaveURL(/\/help\/limits/);
  await page.getByTestId('breadcrumbs').getByRole('link', { name: 'Help' }).click();
  await expect(page.getByRole('link', { name: 'Knowledge bases', exact: true }).last()).toBeVisible();
  await check(page);
});

test('a help page that does not exist leads to those that do', async ({ page }) => {
  await page.goto('/help/nothing');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This help page does not exist');
  await page.getByRole('link', { name: 'All help pages' }).click();
  await expect(page).toHaveURL(/\/help$/);
});

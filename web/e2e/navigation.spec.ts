// Ways through the application beside the menus of wide screens.
import { check, expect, shot, test } from './support/fixtures';

test('the choice of a type leads to its form', async ({ page }) => {
  await page.goto('/assistants');
  for (const [type, address] of [
    ['classic', /\/assistants\/create$/],
    ['multi_tool', /\/multi-tool-assistants\/create$/],
  ] as const) {
    await page.getByTestId('create-link').click();
    await expect(page).toHaveURL(/\/assistants\/new$/);
    await page.getByTestId(`select-${type}`).click();
    await expect(page).toHaveURL(address);
    await expect(page.getByTestId('name-input')).toBeVisible();
    await expect(page.getByTestId('rag-processor-select')).toHaveCount(type === 'classic' ? 1 : 0);
    await page.goto('/assistants');
  }
});

test('the menu of a phone opens, closes with Escape and leads to every page', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/assistants');
  const toggle = page.getByTestId('nav-toggle');
  const menu = page.locator('#narrow-nav');
  await expect(menu).toBeHidden();
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await expect(menu).toBeVisible();
  await check(page);
  await shot(page, 'phone-menu');
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(toggle).toBeFocused();

  await toggle.press('Enter');
  const paths = await menu.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(paths).toEqual(
    expect.arrayContaining([
      '/assistants',
      '/multi-tool-assistants',
      '/knowledge-bases',
      '/rubrics',
      '/files',
      '/runs',
    ]),
  );
  await menu.locator('a[href="/files"]').click();
  await expect(page).toHaveURL(/\/files$/);
  await expect(menu).toBeHidden();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
});

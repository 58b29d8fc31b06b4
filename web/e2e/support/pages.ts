import { checkRules, checkWidth, expect, type Page, shot } from './fixtures';

const OTHER_LOCALES = ['es', 'ca', 'eu', 'en'] as const;

/**
 * One page in everything: no violation of WCAG 2.2 AA by axe in four languages and in both colour schemes, no sideways
 * scrolling at 320 px in any language, one heading, pictures.
 */
export async function holdEverywhere(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await page.waitForLoadState('networkidle');
  await shot(page, name);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await checkRules(page);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  for (const locale of OTHER_LOCALES) {
    await page.getByTestId('language-menu').click();
    await page.getByTestId(`language-${locale}`).click();
    await expect(page.locator('html')).toHaveAttribute('lang', locale);
    await checkRules(page);
    await checkWidth(page);
  }
}

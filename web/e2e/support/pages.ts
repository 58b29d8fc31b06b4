import { checkRules, checkWidth, expect, type Page, shot } from './fixtures';
import { LOCALES, nextLocale, speak } from './languages';

/**
 * One page in everything: no violation of WCAG 2.2 AA by axe in both colour schemes and in another language (each page in
 * its turn; `AXE=all` asks about every one), no sideways scrolling at 320 px in any language, one heading, pictures.
 */
export async function holdEverywhere(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await page.waitForLoadState('networkidle');
  await shot(page, name);
  await checkRules(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await checkRules(page);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const inTurn = nextLocale('pages');
  for (const locale of LOCALES) {
    await speak(page, locale);
    if (locale === inTurn || (process.env['AXE'] === 'all' && locale !== 'en')) await checkRules(page);
    await checkWidth(page);
  }
}

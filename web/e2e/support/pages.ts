import { checkRules, checkWidths, expect, type Page, shot } from './fixtures';
import { LOCALES, nextLocale, speak } from './languages';

/**
 * One page in everything: no violation of WCAG 2.2 AA by axe in the light scheme in English, nor in the dark one in another
 * language (each page in its turn; `AXE=all` asks in every one), no sideways scrolling at 320 px in any language, one
 * heading, pictures. Colours do not depend on the language, nor other rules on colours.
 */
export async function holdEverywhere(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await page.waitForLoadState('networkidle');
  await shot(page, name);
  await checkRules(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const inTurn = nextLocale('pages');
  for (const locale of process.env['AXE'] === 'all' ? LOCALES : [inTurn]) {
    await speak(page, locale);
    await checkRules(page);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await checkWidths(page, async (width) => {
    for (const locale of LOCALES) {
      await speak(page, locale);
      await width();
    }
  });
}

import { expect, type Page } from '@playwright/test';

export const LOCALES = ['es', 'ca', 'eu', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

const turns = new Map<string, number>();

/** Languages other than English, one after the other: each caller has its own turn. */
export function nextLocale(of: string): Locale {
  const turn = turns.get(of) ?? 0;
  turns.set(of, turn + 1);
  return LOCALES[turn % 3] ?? 'es';
}

/** Chooses in the menu of the header, also while a dialog keeps pointer and keyboard from it. */
export async function speak(page: Page, locale: Locale): Promise<void> {
  await page.getByTestId('language-menu').dispatchEvent('click');
  await page.getByTestId(`language-${locale}`).dispatchEvent('click');
  await expect(page.locator('html')).toHaveAttribute('lang', locale);
}

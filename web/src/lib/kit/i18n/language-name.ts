import { i18n } from './i18n.svelte';

/** The name of a language in the reader's; Chromium knows no Basque names, so Spanish ones stand in there. */
export function languageName(code: string): string {
  const name = new Intl.DisplayNames([i18n.locale, 'es'], { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(i18n.locale) + name.slice(1);
}

/** Several languages in one phrase: "English and Spanish". */
export const languageNames = (codes: readonly string[]): string =>
  new Intl.ListFormat([i18n.locale, 'es'], { type: 'conjunction' }).format(codes.map(languageName));

import { ca } from './texts/ca';
import { en } from './texts/en';
import { es } from './texts/es';
import { eu } from './texts/eu';
import type { PageTexts } from './texts/page-texts.types';

const TEXTS: Readonly<Record<string, PageTexts>> = { en, es, ca, eu };

export interface PageLanguage {
  readonly code: string;
  readonly texts: PageTexts;
}

/** The first known language of the platform's locale, else of `Accept-Language` (RFC 9110 §12.5.4), else English. */
export function languageOf(locale: string | null, accepted: string | undefined): PageLanguage {
  const wanted = [locale ?? '', ...(accepted ?? '').split(',')].map((tag) => tag.trim().toLowerCase().slice(0, 2));
  const code = wanted.find((tag) => Object.hasOwn(TEXTS, tag)) ?? 'en';
  return { code, texts: TEXTS[code] ?? en };
}

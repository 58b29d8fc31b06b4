import urls from 'virtual:messages';
import { keep, kept } from './kept';
import type { MessageKey } from './keys';

export const LOCALES = ['en', 'es', 'ca', 'eu'] as const;
export type Locale = (typeof LOCALES)[number];
/** Names of the languages in themselves. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  es: 'Español',
  ca: 'Català',
  eu: 'Euskara',
};

/** The reader's own variant of the language: `en-GB` for `en` where the browser asks for British English. */
const variantOf = (locale: Locale): string =>
  navigator.languages.find((language) => language.split('-')[0]?.toLowerCase() === locale) ?? locale;

const STORED = 'bellwether.locale';
/**
 * Locales for browsers without data of a language (Chromium has none of Basque), which would otherwise follow the
 * device's.
 */
const NUMBERS_LIKE: Readonly<Record<Locale, readonly string[]>> = { en: [], es: [], ca: [], eu: ['es'] };
/** Swedish dates are year, month, day in digits. */
const ISO_DATES = 'sv';
const TIMES = ['timeStyle', 'hour', 'minute', 'second'] as const;

/** The same date or time without names of months and days. */
function withoutNames(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormatOptions {
  const hasTime = TIMES.some((option) => options[option] !== undefined);
  const { dateStyle, year, month, day, weekday } = options;
  const hasDate = [dateStyle, year, month, day, weekday].some((option) => option !== undefined) || !hasTime;
  const seconds = options.second !== undefined || options.timeStyle === 'medium';
  return {
    ...(hasDate ? { dateStyle: 'short' } : {}),
    ...(hasTime ? { timeStyle: seconds ? 'medium' : 'short' } : {}),
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
  };
}
/** `COUNT_LIMIT` of the service. */
const MOST_COUNTED = 1_001;
type Values = Readonly<Record<string, string | number>>;

export const isLocale = (text: string | null | undefined): text is Locale => LOCALES.some((locale) => locale === text);

function preferred(): Locale {
  const stored = kept(STORED);
  if (isLocale(stored)) return stored;
  const wished = navigator.languages.map((language) => language.slice(0, 2).toLowerCase());
  return wished.find((language): language is Locale => isLocale(language)) ?? 'en';
}

type Translated<Text extends string> = Readonly<Record<Text, string>> & {
  readonly texts: Partial<Readonly<Record<Locale, Readonly<Record<Text, string>>>>>;
};

/** The reader's language: texts, plurals, numbers and dates. A switch shows at once, without a reload. */
class I18n {
  locale = $state<Locale>('en');
  private messages = $state.raw<Readonly<Record<string, string>>>({});
  private wanted: Locale = 'en';
  private readonly loaded = new Map<Locale, Readonly<Record<string, string>>>();

  /** Loads the reader's language; rejects when the texts cannot be fetched. */
  async start(): Promise<void> {
    await this.show(preferred());
  }

  /** Shows another language and remembers it in this browser. */
  async use(locale: Locale): Promise<void> {
    await this.show(locale);
    if (this.locale === locale) keep(STORED, locale);
  }

  /** The text of a key, `{name}` replaced by `values.name`; the key itself when there is no text. */
  text(key: MessageKey, values?: Values): string {
    return fill(this.messages[key] ?? key, values);
  }

  /** The text of a key that is made at run time (`errors.not_found`); null when there is none. */
  maybe(key: string, values?: Values): string | null {
    const text = this.messages[key];
    return text === undefined ? null : fill(text, values);
  }

  /** A text that a plugin brings along, in English where it has no translation. */
  plugin<Text extends string>(plugin: Translated<Text>, text: Text): string {
    return plugin.texts[this.locale]?.[text] ?? plugin[text];
  }

  /** `<key>.one`, `<key>.other` by the language's plural rules; `{n}` is the number, written in the language. */
  count(key: string, n: number, values?: Values): string {
    const form = cached(['plural', this.locale], () => new Intl.PluralRules(this.locale)).select(n);
    const text = this.messages[`${key}.${form}`] ?? this.messages[`${key}.other`] ?? key;
    return fill(text, { n: this.number(n), ...values });
  }

  /** Length of a list. The API counts long lists no further than 1,001. */
  total(length: number): string {
    return length === MOST_COUNTED ? `${this.number(1_000)}+` : this.number(length);
  }

  number(value: number, options?: Intl.NumberFormatOptions): string {
    const locales = [variantOf(this.locale), ...NUMBERS_LIKE[this.locale]];
    return cached(['number', locales, options], () => new Intl.NumberFormat(locales, options)).format(value);
  }

  /** `value` is ISO 8601. */
  date(value: string, options: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): string {
    const variant = variantOf(this.locale);
    const format = cached(['date', variant, this.locale, options], () =>
      Intl.DateTimeFormat.supportedLocalesOf(this.locale).length > 0
        ? new Intl.DateTimeFormat(variant, options)
        : new Intl.DateTimeFormat(ISO_DATES, withoutNames(options)),
    );
    return format.format(new Date(value));
  }

  private async show(locale: Locale): Promise<void> {
    this.wanted = locale;
    const messages = this.loaded.get(locale) ?? (await fetchMessages(locale));
    this.loaded.set(locale, messages);
    // Another one was chosen meanwhile.
    if (this.wanted !== locale) return;
    this.messages = messages;
    this.locale = locale;
    document.documentElement.lang = locale;
  }
}

async function fetchMessages(locale: Locale): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(urls[locale]);
  if (!response.ok) throw new Error(`Texts of ${locale}: ${response.status}`);
  return (await response.json()) as Record<string, string>;
}

/** Formatters by language and options: making one costs fifty times what formatting does. */
const made: Record<string, unknown> = {};
function cached<Formatter>(key: unknown, make: () => Formatter): Formatter {
  const name = JSON.stringify(key);
  return (made[name] ??= make()) as Formatter;
}

const fill = (text: string, values?: Values): string =>
  values === undefined
    ? text
    : text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));

export const i18n = new I18n();
/** The text of a key in the reader's language. */
export const t = (key: MessageKey, values?: Values): string => i18n.text(key, values);

/** Built-in formats that differ from `General` (ECMA-376-1 §18.8.30). Those that depend on the computer's language are ISO. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
};

export const builtInFormat = (id: number): string => BUILT_IN[id] ?? 'General';

const DAY_MS = 86_400_000;
/** Day 0 of both calendars; the first counts a 29 February 1900 that never was. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) } as const;
export type Calendar = keyof typeof EPOCHS;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Quoted and escaped characters, conditions and colours; then what they stand beside. */
const TOKENS = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]|AM\/PM|A\/P|y+|m+|d+|h+|s+(?:\.0+)?|[^ymdhs]/gi;

const isLiteral = (token: string): boolean => /^["\\_*]/.test(token);
const literal = (token: string): string => {
  if (token.startsWith('"')) return token.slice(1, -1);
  if (token.startsWith('\\')) return token.slice(1);
  return /^[_*[]/.test(token) ? '' : token;
};

const tokensOf = (format: string): string[] => format.match(TOKENS) ?? [];

const isDateFormat = (format: string): boolean =>
  tokensOf(format).some((token) => /^(?:[ymdhs]|\[[hms]+\])/i.test(token) && !isLiteral(token));

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** `m` after hours or before seconds are minutes. */
const areMinutes = (tokens: readonly string[], at: number): boolean => {
  const fields = (list: readonly string[]): string | undefined =>
    list.find((token) => /^\[?[ymdhs]/i.test(token) && !isLiteral(token));
  const before = fields(tokens.slice(0, at).reverse()) ?? '';
  const after = fields(tokens.slice(at + 1)) ?? '';
  return /^\[?h/i.test(before) || /^s/i.test(after);
};

function datePart(token: string, date: Date, minutes: boolean, twelve: boolean): string | null {
  const size = token.length;
  switch (token.charAt(0).toLowerCase()) {
    case 'y':
      return size > 2 ? String(date.getUTCFullYear()) : padded(date.getUTCFullYear() % 100, 2);
    case 'm':
      if (minutes) return padded(date.getUTCMinutes(), size);
      return size > 2 ? nameOf(MONTHS, date.getUTCMonth(), size) : padded(date.getUTCMonth() + 1, size);
    case 'd':
      return size > 2 ? nameOf(DAYS, date.getUTCDay(), size) : padded(date.getUTCDate(), size);
    case 'h':
      return padded(twelve ? date.getUTCHours() % 12 || 12 : date.getUTCHours(), size);
    case 's':
      return padded(date.getUTCSeconds(), Math.min(size, 2));
    default:
      return null;
  }
}

const nameOf = (names: readonly string[], index: number, size: number): string => {
  const name = names[index] ?? '';
  return size === 3 ? name.slice(0, 3) : size === 5 ? name.slice(0, 1) : name;
};

function dateText(value: number, format: string, calendar: Calendar): string | null {
  if (value < 0 || value > LAST_DAY) return null;
  const tokens = tokensOf(format);
  const twelve = tokens.some((token) => /^a(?:m\/pm|\/p)$/i.test(token));
  const date = new Date(Math.round((EPOCHS[calendar] + value * DAY_MS) / 1000) * 1000);
  return tokens
    .map((token, at) => {
      if (isLiteral(token)) return literal(token);
      if (/^a(?:m\/pm|\/p)$/i.test(token)) return date.getUTCHours() < 12 ? 'AM' : 'PM';
      const elapsed = /^\[(h+|m+|s+)\]$/i.exec(token)?.[1]?.charAt(0).toLowerCase();
      if (elapsed !== undefined) return String(Math.floor(value * { h: 24, m: 1_440, s: 86_400 }[elapsed as 'h']));
      return datePart(token, date, areMinutes(tokens, at), twelve) ?? literal(token);
    })
    .join('')
    .trim();
}

/** Formats a number like `General`: at most eleven digits. */
const general = (value: number): string => String(Number(value.toPrecision(11)));

const withThousands = (digits: string): string => digits.replace(/\B(?=(?:\d{3}){1,7}$)/g, ',');

/** Sections stand between semicolons, which are text inside of quotes. */
const sectionsOf = (format: string): string[] =>
  format
    .split('"')
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(';', '\0') : part))
    .join('"')
    .split('\0');

/** Not bare: quoted, escaped, conditions and colours. */
const NOT_BARE = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/g;

/** The section of a format for positive, negative and zero values. Negative values bring their sign in a section of their own. */
function sectionFor(value: number, format: string): { readonly section: string; readonly sign: string } {
  const [positive = '', negative, zero] = sectionsOf(format);
  if (value < 0) return negative === undefined ? { section: positive, sign: '-' } : { section: negative, sign: '' };
  return { section: value === 0 ? (zero ?? positive) : positive, sign: '' };
}

/** Digits with the decimals of a shape such as `0.0#`. */
function digitsOf(value: number, decimals: string, hasThousands: boolean): string {
  const least = decimals.replace(/(?<!#)#+$/, '').length;
  const [whole = '', fraction = ''] = value.toFixed(Math.min(decimals.length, 20)).split('.');
  const kept = fraction.slice(0, least) + fraction.slice(least).replace(/(?<!0)0+$/, '');
  return `${hasThousands ? withThousands(whole) : whole}${kept === '' ? '' : `.${kept}`}`;
}

function numberText(value: number, format: string): string {
  const { section, sign } = sectionFor(value, format);
  const bare = section.replace(NOT_BARE, '');
  // Powers of ten, fractions and texts are rare: the plain number says the same.
  if (/general|[e/@]/i.test(bare)) return general(value);
  const shape = /[#0?][#0?,]*(?:\.([#0?]+))?/.exec(bare);
  if (shape === null) return words(section);
  const [placeholders, decimals = ''] = shape;
  const scaled = Math.abs(value) * (bare.includes('%') ? 100 : 1);
  return sign + words(withDigits(section, digitsOf(scaled, decimals, placeholders.includes(','))));
}

/** The first run of placeholders outside of quotes becomes the digits. */
function withDigits(section: string, digits: string): string {
  let written = false;
  return section.replace(/("[^"]*"|\\.|\[[^[\]]*\])|[#0?][#0?,.]*/g, (_, kept: string | undefined) => {
    if (kept !== undefined) return kept;
    const text = written ? '' : `"${digits}"`;
    written = true;
    return text;
  });
}

/** Literal text of a section; `[$€-2]` is a currency. */
const words = (section: string): string =>
  tokensOf(section.replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, '"$1"'))
    .map(literal)
    .join('')
    .trim();

/** A stored number as the workbook displays it. */
export function displayedNumber(value: number, format: string, calendar: Calendar): string {
  if (/^general$/i.test(format) || format.length > 255) return general(value);
  const date = isDateFormat(format) ? dateText(value, format, calendar) : null;
  return date ?? (isDateFormat(format) ? general(value) : numberText(value, format));
}

export type JsonObject = { readonly [member: string]: unknown };

/** A plain JSON object: not null, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All members inside in the order of their names: `jsonb` and clients have orders of their own. */
export function inNameOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inNameOrder);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, inNameOrder(value[name])]),
  );
}

const textOf = (value: unknown): string | undefined => JSON.stringify(inNameOrder(value));

/** Equal content of values that are, or become, JSON. */
export const sameJson = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** Characters that control a terminal: control characters but line feed and tab, and overrides of direction. */
const OBEYED = /(?:[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc})+/gu;

const NOT_ESCAPED = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Text for a terminal: each run of control characters becomes a space. */
export const terminalText = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(OBEYED, ' ');

/** The same on one line. */
export const terminalLine = (text: string): string => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');

/** Equal JSON with escapes for those control characters that `JSON.stringify` keeps. */
export const terminalJson = (json: string): string =>
  json.replaceAll(NOT_ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const MAX_DEPTH = 30;
const MAX_VALUES = 20_000;

/** Text that PostgreSQL can store: no NUL character, no half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Reason why a JSON document cannot be stored, or null. */
export function storageProblem(document: unknown): string | null {
  let level: unknown[] = [document];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    values += level.length;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return 'is too deep or holds too many values';
    if (!level.every(isStorable)) return 'holds a NUL character, half of a surrogate pair, or `__proto__`';
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return null;
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  return Object.keys(value).every((key) => key !== '__proto__' && isStorableText(key));
}

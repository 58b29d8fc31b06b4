const MAX_DEPTH = 30;
const MAX_VALUES = 20_000;

/** Text that the database takes: no NUL, no half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** A label that people see, made storable and cut. */
export const cleanLabel = (text: string, longest: number): string =>
  text.replaceAll('\u0000', '').toWellFormed().trim().slice(0, longest).toWellFormed();

/** Why a parsed document cannot be stored as it is, or null. */
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

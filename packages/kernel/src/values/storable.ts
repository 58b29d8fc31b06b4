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

import { invalid } from './errors';
import { isUuid } from './values/ids';

/** One page of a list. `next_cursor` is opaque, null on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
  readonly total: number;
}

/** Totals of lists that grow with use are counted up to this number, which means more than a thousand. */
export const COUNT_LIMIT = 1_001;

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
}

type SortKey = string | number;

/** A cursor holds the sort key of the last item seen, base64url-encoded JSON. */
export const encodeCursor = (key: readonly SortKey[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** Returns null for anything that is not a cursor of `length` strings or numbers. */
export function decodeCursor(cursor: string, length: number): readonly SortKey[] | null {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(key) || key.length !== length) return null;
    return key.every((part) => typeof part === 'string' || typeof part === 'number') ? key : null;
  } catch {
    return null;
  }
}

/** Cuts `limit + 1` rows to one page; an extra row means that another page follows. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => SortKey,
): Omit<Page<Row>, 'total'> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor([keyOf(last)]) : null };
}

function sortKey<Key extends SortKey>(cursor: string | null, accepts: (key: SortKey) => key is Key): Key | null {
  if (cursor === null) return null;
  const [key] = decodeCursor(cursor, 1) ?? [];
  if (key !== undefined && accepts(key)) return key;
  throw invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
}

const isText = (key: SortKey): key is string => typeof key === 'string';
const isUuidKey = (key: SortKey): key is string => isText(key) && isUuid(key);
const isInteger = (key: SortKey): key is number => Number.isSafeInteger(key);

/** Key of the last item seen, null on the first page. @throws {AppError} `validation_failed` for any other cursor. */
export const uuidCursor = (cursor: string | null): string | null => sortKey(cursor, isUuidKey);

/** Like `uuidCursor`, for a list sorted by text. */
export const textCursor = (cursor: string | null): string | null => sortKey(cursor, isText);

/** Like `uuidCursor`, for a list sorted by an integer. */
export const integerCursor = (cursor: string | null): number | null => sortKey(cursor, isInteger);

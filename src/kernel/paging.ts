/** One page of a list: every list of the house API answers this. `next_cursor` is opaque, null on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
  readonly total: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | null;
}

/** A cursor holds the sort key of the last item seen, base64url-encoded JSON. */
export const encodeCursor = (key: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** Returns null for anything that is not a cursor of `length` strings or numbers. */
export function decodeCursor(cursor: string, length: number): readonly (string | number)[] | null {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(key) || key.length !== length) return null;
    return key.every((part) => typeof part === 'string' || typeof part === 'number') ? key : null;
  } catch {
    return null;
  }
}

interface Reading<Row, T> {
  readonly nameOf: (row: Row) => string;
  readonly again: () => Promise<Row | null>;
  readonly read: (row: Row) => Promise<T>;
}

/**
 * Reads the bytes that a row names. A replacement, or a move to another place, may remove them after the row was read: then
 * the row names other bytes now, and those are read.
 */
export async function readCurrent<Row, T>(row: Row, { nameOf, again, read }: Reading<Row, T>): Promise<T> {
  try {
    return await read(row);
  } catch (error) {
    const now = await again();
    if (now === null || nameOf(now) === nameOf(row)) throw error;
    return read(now);
  }
}

export const storageNameOf = ({ storageName }: { readonly storageName: string }): string => storageName;

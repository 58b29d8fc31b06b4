interface Reading<Row, T> {
  readonly nameOf: (row: Row) => string;
  readonly again: () => Promise<Row | null>;
  readonly read: (row: Row) => Promise<T>;
}

/** Most changes during one read: more than people and commands make. */
const MOST_CHANGES = 5;

/**
 * Reads the bytes that a row names. A replacement or a move may remove them after the row was read. The row then names
 * other bytes, which are read instead.
 */
export async function readCurrent<Row, T>(first: Row, { nameOf, again, read }: Reading<Row, T>): Promise<T> {
  let row = first;
  for (let change = 0; ; change += 1) {
    try {
      return await read(row);
    } catch (error) {
      const now = await again();
      if (now === null || nameOf(now) === nameOf(row) || change === MOST_CHANGES) throw error;
      row = now;
    }
  }
}

export const storageNameOf = ({ storageName }: { readonly storageName: string }): string => storageName;

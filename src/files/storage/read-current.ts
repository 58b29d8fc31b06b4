interface Reading<Row, T> {
  readonly nameOf: (row: Row) => string;
  readonly again: () => Promise<Row | null>;
  readonly read: (row: Row) => Promise<T>;
}

/** More changes during one read than people and commands make. */
const MOST_CHANGES = 5;

/**
 * Reads the bytes that a row names. A replacement, or a move to another place, may remove them after the row was read: then
 * the row names other bytes now, and those are read.
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

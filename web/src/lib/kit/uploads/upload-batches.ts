export interface Sized {
  readonly name: string;
  readonly size: number;
}

export interface BatchLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Items in order, cut where a request would hold too many files, too many bytes, or a name twice; one too large file goes alone. */
export function batchesOf<Item extends Sized>(items: readonly Item[], limits: BatchLimits): Item[][] {
  const batches: Item[][] = [];
  let names = new Set<string>();
  let bytes = 0;
  for (const item of items) {
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < limits.files && bytes + item.size <= limits.bytes;
    if (fits && !names.has(item.name)) last.push(item);
    else {
      batches.push([item]);
      names = new Set();
      bytes = 0;
    }
    names.add(item.name);
    bytes += item.size;
  }
  return batches;
}

/**
 * How much of each file has left when `sent` of `total` bytes of the request have: a browser sends the parts in order, and
 * what is not file (part headers) counts as evenly spread. Values are 0..1.
 */
export function sentShares(sizes: readonly number[], sent: number, total: number): number[] {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  let left = total > 0 ? (sent / total) * bytes : 0;
  const isAllSent = total > 0 && sent >= total;
  return sizes.map((size) => {
    const share = isAllSent ? 1 : size === 0 ? Number(left > 0) : Math.min(1, Math.max(0, left / size));
    left -= size;
    return share;
  });
}

/** The items, those of a batch with changes by their place in it. */
export function changed<Item extends { readonly key: number }>(
  items: readonly Item[],
  batch: readonly Item[],
  changes: (index: number) => Partial<Item>,
): readonly Item[] {
  const indexOf = new Map(batch.map(({ key }, index) => [key, index]));
  return items.map((item) => {
    const index = indexOf.get(item.key);
    return index === undefined ? item : { ...item, ...changes(index) };
  });
}

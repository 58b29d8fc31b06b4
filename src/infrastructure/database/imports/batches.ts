/** Slices of at most `size` items, so that one statement stays below PostgreSQL's 65,535 parameters. */
export function* batches<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

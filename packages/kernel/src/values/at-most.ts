/** Size options of an `LRUCache`. Its own `max` reserves the memory of all entries when the cache is made. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;

/** Size and time of entries that end by themselves. Any other resolution would start a timer for each look-up. */
export const atMostFor = (entries: number, ttlMs: number) =>
  ({ ...atMost(entries), ttl: ttlMs, ttlResolution: 0 }) as const;

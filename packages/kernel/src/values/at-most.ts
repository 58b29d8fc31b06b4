/** Size options of an `LRUCache`. Its own `max` reserves the memory of all entries when the cache is made. */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;

/** Four buckets to a doubling: a percentile read from them is at most 19 % above the true one. */
const PER_DOUBLING = 4;
/** The last one holds everything from about four hours on. */
const MAX_BUCKETS = 96;

/** Counts of durations; bucket 0 is below one millisecond. Two of them merge by adding bucket by bucket. */
export type Buckets = readonly number[];

export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0;
  return Math.min(MAX_BUCKETS - 1, 1 + Math.floor(Math.log2(ms) * PER_DOUBLING));
}

/** Milliseconds below which everything in the bucket lies. */
export const upperEdge = (bucket: number): number => 2 ** (bucket / PER_DOUBLING);

export function mergeBuckets(left: Buckets, right: Buckets): number[] {
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left];
  return longer.map((count, bucket) => count + (shorter[bucket] ?? 0));
}

/** The upper edge of the bucket that holds the `share` of all durations, in milliseconds; null when there are none. */
export function percentile(buckets: Buckets, share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const [bucket, count] of buckets.entries()) {
    left -= count;
    if (left <= 0) return Math.round(upperEdge(bucket) * 100) / 100;
  }
  return upperEdge(buckets.length - 1);
}

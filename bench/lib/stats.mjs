/** Nearest-rank quantile of unsorted numbers; NaN when there are none. */
export function quantile(values, q) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
}

export function median(values) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median with the range of the repetitions behind it. */
export function spread(values) {
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length === 0) return { median: NaN, min: NaN, max: NaN, n: 0 };
  return { median: median(known), min: Math.min(...known), max: Math.max(...known), n: known.length };
}

/** A number that only grows. */
export class Counter {
  value = 0;

  inc(by = 1): void {
    this.value += by;
  }
}

/** Counts values by bucket. An observation allocates nothing. */
export class Histogram {
  /** Not cumulative; the last one has no upper bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    if (!(value >= 0)) return;
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

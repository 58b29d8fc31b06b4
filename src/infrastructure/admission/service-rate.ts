/** Window of the exponential moving average, in samples. */
const WINDOW = 32;
/** Samples before there is an estimate. */
const LEAST_SAMPLES = 4;
/** Duration of an answer before there is an estimate. */
const ASSUMED_MS = 30_000;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 60;

/** Measures the rate at which places become free, and tells refused clients when to return. */
export class ServiceRate {
  private meanMs = 0;
  private samples = 0;
  /** Time at which the last refused client was told to return. */
  private lastSlot = 0;

  constructor(private readonly places: number) {}

  ended(heldMs: number): void {
    this.samples += 1;
    this.meanMs += (heldMs - this.meanMs) / Math.min(this.samples, WINDOW);
  }

  /** Places that become free in a millisecond while all are taken, by Little's law. Null before there is an estimate. */
  get perMs(): number | null {
    return this.samples < LEAST_SAMPLES ? null : this.places / Math.max(this.meanMs, 1);
  }

  /**
   * Seconds until a refused client should find a place: after the waiting questions, and after the clients refused before
   * it. Otherwise all refused clients would return in the same second.
   */
  retryAfter(now: number, waiting: number): number {
    const perMs = this.perMs ?? this.places / ASSUMED_MS;
    const earliest = now + waiting / perMs;
    if (this.lastSlot < earliest || this.lastSlot > now + MOST_SECONDS * 1e3) this.lastSlot = earliest;
    this.lastSlot += 1 / perMs;
    return Math.min(Math.max(Math.ceil((this.lastSlot - now) / 1e3), LEAST_SECONDS), MOST_SECONDS);
  }
}

/** Samples that the mean goes back, by exponential weights. */
const MEMORY = 32;
/** Fewer say nothing. */
const LEAST_SAMPLES = 4;
const LEAST_SECONDS = 1;
const MOST_SECONDS = 60;

/** Measures how many places become free in a second, and gives refused clients times at which to return. */
export class ServiceRate {
  private meanMs = 0;
  private samples = 0;
  /** Time for which the last refused client was told to return. */
  private lastSlot = 0;

  constructor(private readonly places: number) {}

  ended(heldMs: number): void {
    this.samples += 1;
    this.meanMs += (heldMs - this.meanMs) / Math.min(this.samples, MEMORY);
  }

  /** Little's law: places that become free in a millisecond while all are taken. Null while nobody knows. */
  get perMs(): number | null {
    return this.samples < LEAST_SAMPLES ? null : this.places / Math.max(this.meanMs, 1);
  }

  /**
   * Seconds after which a refused client finds a place: after those that wait, and after the clients refused before it,
   * which would else all return in the same second.
   */
  retryAfter(now: number, waiting: number): number {
    const perMs = this.perMs ?? this.places / (MOST_SECONDS * 500);
    const earliest = now + waiting / perMs;
    if (this.lastSlot < earliest || this.lastSlot > now + MOST_SECONDS * 1e3) this.lastSlot = earliest;
    this.lastSlot += 1 / perMs;
    return Math.min(Math.max(Math.ceil((this.lastSlot - now) / 1e3), LEAST_SECONDS), MOST_SECONDS);
  }
}

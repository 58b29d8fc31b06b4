/** Lets the sinks of an answer slow its vendor down: the vendor is read no faster than the slowest sink takes it. */
export class Backpressure {
  private pending: Promise<unknown> | null = null;

  /** Called by a sink that cannot take more for now. */
  hold(until: Promise<unknown>): void {
    this.pending = this.pending === null ? until : Promise.all([this.pending, until]);
  }

  /** Null when no sink holds: then the hot path awaits nothing. */
  get held(): Promise<unknown> | null {
    const { pending } = this;
    this.pending = null;
    return pending;
  }
}

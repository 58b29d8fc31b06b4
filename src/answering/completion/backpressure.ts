/** Back-pressure from sinks to the vendor: the slowest sink sets the speed. */
export class Backpressure {
  private pending: Promise<unknown> | null = null;

  /** Called by a sink whose buffer is full. */
  hold(until: Promise<unknown>): void {
    this.pending = this.pending === null ? until : Promise.all([this.pending, until]);
  }

  /** Null when no sink waits: the hot path then awaits nothing. */
  get held(): Promise<unknown> | null {
    const { pending } = this;
    this.pending = null;
    return pending;
  }
}

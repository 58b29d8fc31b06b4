/** Half of the promised 15 s: a stream may have written just after the last beat. */
const BEAT_MS = 7_000;

export interface Beating {
  /** Called on every beat. */
  beat(): void;
}

/** One timer for all streams: 5,000 streams would need as many timers. */
export class Heartbeat {
  private readonly streams = new Set<Beating>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly intervalMs = BEAT_MS) {}

  add(stream: Beating): void {
    this.streams.add(stream);
    this.timer ??= setInterval(() => this.beat(), this.intervalMs).unref();
  }

  remove(stream: Beating): void {
    this.streams.delete(stream);
    if (this.streams.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  private beat(): void {
    for (const stream of this.streams) stream.beat();
  }
}

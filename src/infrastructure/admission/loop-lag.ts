const SAMPLE_MS = 100;
/** More than one: a single long step, such as a garbage collection, is no overload. */
const SAMPLES_TO_CLOSE = 2;
const SAMPLES_TO_OPEN = 5;

/**
 * Tells whether the event loop lags. It is over its limit after two late samples in a row, and under it again after five
 * in a row that are late by less than half of the limit.
 */
export class LoopLag {
  isOver = false;
  private streak = 0;
  private due = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    /** 0: never over. */
    private readonly limitMs: number,
    private readonly onRecovered: () => void,
  ) {}

  start(): void {
    if (this.limitMs === 0) return;
    this.due = performance.now() + SAMPLE_MS;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.sample(now - this.due);
      this.due = now + SAMPLE_MS;
    }, SAMPLE_MS);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** `lateMs`: by how much a timer was late. */
  sample(lateMs: number): void {
    const contradicts = this.isOver ? lateMs < this.limitMs / 2 : lateMs >= this.limitMs;
    this.streak = contradicts ? this.streak + 1 : 0;
    if (this.streak < (this.isOver ? SAMPLES_TO_OPEN : SAMPLES_TO_CLOSE)) return;
    this.streak = 0;
    this.isOver = !this.isOver;
    if (!this.isOver) this.onRecovered();
  }
}

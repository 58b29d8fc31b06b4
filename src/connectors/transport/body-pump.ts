import type { Readable } from 'node:stream';

/** How long a finished answer's socket may take to end before it is closed instead of reused. Milliseconds. */
const DRAIN_MS = 1_000;

/**
 * Hands over what a body has received since it was last asked, and stops the socket while nobody asks: at most one read
 * is held. Cheaper than the stream's own iterator, and the socket survives a reader that is done before the body ends.
 */
export class BodyPump {
  private queue: Buffer[] = [];
  private ended = false;
  private failure: Error | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly body: Readable) {
    body.on('data', this.onData);
    body.once('end', () => {
      this.ended = true;
      this.wake?.();
    });
    body.on('error', (error) => {
      this.failure = error;
      this.wake?.();
    });
    body.once('close', () => {
      this.ended = true;
      this.wake?.();
    });
  }

  /** The buffers received; null at the end. Rejects with the transport's error. */
  async next(): Promise<readonly Buffer[] | null> {
    if (this.queue.length === 0 && !this.ended && this.failure === null) {
      this.body.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
    if (this.queue.length > 0) {
      const received = this.queue;
      this.queue = [];
      return received;
    }
    if (this.failure !== null) throw this.failure;
    return null;
  }

  /** `complete`: the rest is of no interest and the connection may be reused; otherwise it is closed at once. */
  release(complete: boolean): void {
    if (this.ended) return;
    this.body.off('data', this.onData);
    if (!complete) return void this.body.destroy();
    this.body.resume();
    const timer = setTimeout(() => this.body.destroy(), DRAIN_MS);
    timer.unref();
    this.body.once('close', () => clearTimeout(timer));
  }

  private readonly onData = (bytes: Buffer): void => {
    this.queue.push(bytes);
    if (this.wake === null) this.body.pause();
    else this.wake();
  };
}

import { frameOf, isTerminal } from './run-frame';
import type { LoggedEvent } from './run-log.types';

/** What a tail keeps for readers who come a little late; beyond it they read the log itself. */
const WINDOW_CHARS = 256 * 1_024;

interface Frame {
  readonly seq: number;
  readonly text: string;
}

/** What a reader who has seen everything up to some event gets next. */
export interface Chunk {
  readonly text: string;
  /** Of the last event in it. */
  readonly seq: number;
}

/** The latest events of one run, in a form that all of its readers share: each event is made text once, and joined once. */
export class Tail {
  readers = 0;
  /** Resolves when it has what was in the log when it was made. */
  loaded: Promise<void> = Promise.resolve();
  private frames: Frame[] = [];
  private chars = 0;
  private seq = 0;
  private over = false;
  private joined: { readonly after: number; readonly chunk: Chunk } | null = null;
  private resolve!: () => void;
  private promise!: Promise<void>;

  constructor(readonly runId: string) {
    this.arm();
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** Nothing comes after `lastSeq`. */
  get ended(): boolean {
    return this.over;
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.promise;
  }

  /** Takes what is next and leaves what it has; false when something between is missing. */
  push(events: readonly LoggedEvent[]): boolean {
    const fresh = events.filter(({ seq }) => seq > this.seq);
    const [first] = fresh;
    if (first === undefined) return true;
    if (first.seq !== this.seq + 1 || this.over) return false;
    for (const event of fresh) {
      const text = frameOf(event);
      this.frames.push({ seq: event.seq, text });
      this.chars += text.length;
      this.seq = event.seq;
      this.over ||= isTerminal(event);
    }
    this.trim();
    this.joined = null;
    this.wake();
    return true;
  }

  /** No more will come, though no terminal event was seen. */
  end(): void {
    this.over = true;
    this.wake();
  }

  /** Undefined when the window does not reach back that far, null when there is nothing new. */
  since(after: number): Chunk | null | undefined {
    if (after >= this.seq) return null;
    const first = this.frames[0];
    if (first === undefined || first.seq > after + 1) return undefined;
    if (this.joined?.after !== after) {
      const text = this.frames.slice(after + 1 - first.seq).reduce((all, frame) => all + frame.text, '');
      this.joined = { after, chunk: { text, seq: this.seq } };
    }
    return this.joined.chunk;
  }

  private trim(): void {
    let gone = 0;
    for (const { text } of this.frames) {
      if (this.chars <= WINDOW_CHARS) break;
      this.chars -= text.length;
      gone += 1;
    }
    if (gone > 0) this.frames = this.frames.slice(gone);
  }

  private wake(): void {
    const { resolve } = this;
    this.arm();
    resolve();
  }

  private arm(): void {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }
}

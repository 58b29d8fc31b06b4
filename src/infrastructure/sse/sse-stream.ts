import type { ServerResponse } from 'node:http';

/** Half of the promised 15 s: a stream may have written just after the last beat. */
const BEAT_MS = 7_000;

interface Beating {
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

/** Milliseconds before a stalled reader is cut off: it holds its run and the connection of the vendor. */
const PATIENCE_MS = 30_000;

/** Resolves when the response has drained or closed; after a close no `drain` follows. */
export function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), PATIENCE_MS);
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

const sharedHeartbeat = new Heartbeat();

/** Data on several lines could end a frame or start a field (WHATWG "Server-sent events", 9.2.6). */
const oneLine = (text: string): string => (/[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text);

/** A comment frame, which parsers ignore. */
export const commentFrame = (text: string): string => `: ${oneLine(text)}\n\n`;

/** `json` must be on one line, as `JSON.stringify` writes it. */
export const dataFrame = (json: string): string => `data: ${json}\n\n`;

/**
 * A server-sent-event answer on a plain response. Writes after the client left are dropped: the close of the response
 * tells the owner.
 */
export class SseStream implements Beating {
  private quiet = false;
  private opened = false;
  /** Frames of this turn that are not written yet. */
  private told = '';
  private readonly flush = (): void => void this.write('');

  constructor(
    private readonly response: ServerResponse,
    private readonly heartbeat: Heartbeat = sharedHeartbeat,
  ) {}

  /** True after the first byte: errors can no longer be statuses. */
  get isOpen(): boolean {
    return this.opened;
  }

  get isGone(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Sends header and a comment in this turn: the client sees life while tools run. `before` precedes the comment. */
  open(headers: Readonly<Record<string, string>> = {}, before = ''): void {
    if (this.opened || this.isGone) return;
    this.opened = true;
    this.response.writeHead(200, { ...HEADERS, ...headers });
    this.heartbeat.add(this);
    this.response.once('close', () => this.heartbeat.remove(this));
    this.tell(before + commentFrame('stream open'));
  }

  /** Writes frames at the end of this turn, in one piece with those that follow until then. */
  tell(frames: string): void {
    if (frames === '') return;
    if (this.told === '') setImmediate(this.flush);
    this.told += frames;
  }

  /** Writes frames in one piece, with those that wait. False means back-pressure: await `drained`. */
  write(frames: string | Buffer): boolean {
    const { told } = this;
    this.told = '';
    if (this.isGone) return true;
    this.quiet = false;
    if (typeof frames === 'string') return told === '' && frames === '' ? true : this.response.write(told + frames);
    if (told !== '') this.response.write(told);
    return this.response.write(frames);
  }

  /** Resolves when the reader has caught up or has left. */
  drained(): Promise<void> {
    return this.isGone ? Promise.resolve() : drained(this.response);
  }

  end(lastFrames = ''): void {
    this.heartbeat.remove(this);
    const all = this.told + lastFrames;
    this.told = '';
    if (this.isGone) return;
    if (all === '') this.response.end();
    else this.response.end(all);
  }

  beat(): void {
    if (this.quiet && !this.response.writableNeedDrain) this.write(commentFrame('keep-alive'));
    this.quiet = true;
  }
}

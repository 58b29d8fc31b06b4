import type { ServerResponse } from 'node:http';
import { drained } from './drained';
import { type Beating, Heartbeat } from './heartbeat';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

const sharedHeartbeat = new Heartbeat();

/** Text on one line, so that data can neither end a frame nor start a field (WHATWG "Server-sent events", 9.2.6). */
const oneLine = (text: string): string => (/[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text);

/** A comment line, which every parser ignores. */
export const commentFrame = (text: string): string => `: ${oneLine(text)}\n\n`;

/** `json` must be on one line, as `JSON.stringify` writes it. */
export const dataFrame = (json: string): string => `data: ${json}\n\n`;

/**
 * One server-sent-event answer on a plain response. Writes after the client left are dropped in silence: the close of the
 * response, not a failed write, tells the owner.
 */
export class SseStream implements Beating {
  private quiet = false;
  private opened = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly heartbeat: Heartbeat = sharedHeartbeat,
  ) {}

  /** True from the first byte on: errors can no longer be statuses. */
  get isOpen(): boolean {
    return this.opened;
  }

  get isGone(): boolean {
    return this.response.destroyed || this.response.writableEnded;
  }

  /** Sends the header and a first comment at once, so that the client sees life while tools still run. */
  open(headers: Readonly<Record<string, string>> = {}): void {
    if (this.opened || this.isGone) return;
    this.opened = true;
    this.response.writeHead(200, { ...HEADERS, ...headers });
    this.heartbeat.add(this);
    this.response.once('close', () => this.heartbeat.remove(this));
    this.write(commentFrame('stream open'));
  }

  /** Writes prepared frames in one piece. False when the reader is slower than we are: await `drained` then. */
  write(frames: string): boolean {
    if (this.isGone) return true;
    this.quiet = false;
    return this.response.write(frames);
  }

  /** Resolves when the reader has caught up or has left. */
  drained(): Promise<void> {
    return this.isGone ? Promise.resolve() : drained(this.response);
  }

  end(lastFrames = ''): void {
    this.heartbeat.remove(this);
    if (this.isGone) return;
    if (lastFrames === '') this.response.end();
    else this.response.end(lastFrames);
  }

  beat(): void {
    if (this.quiet && !this.response.writableNeedDrain) this.write(commentFrame('keep-alive'));
    this.quiet = true;
  }
}

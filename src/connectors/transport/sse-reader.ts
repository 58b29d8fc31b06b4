import { StringDecoder } from 'node:string_decoder';

export interface SseEvent {
  /** '' unless the event is named. */
  readonly name: string;
  readonly data: string;
}

/** Longest line or event in characters. Text models send far shorter ones. */
const MAX_PENDING = 4_000_000;

/**
 * Server-sent events from raw bytes (HTML standard §9.2.6): characters split over reads, LF, CRLF and CR, comments,
 * several `data` lines per event. `id` and `retry` are ignored.
 */
export class SseReader {
  private readonly decoder = new StringDecoder('utf8');
  /** Pieces of a line without its end: joined once, so that a long line is not copied at every read. */
  private pending: string[] = [];
  private pendingChars = 0;
  private data: string | null = null;
  /** Characters of the current event, without an unfinished line. */
  private eventChars = 0;
  private name = '';
  private afterCr = false;
  private started = false;

  /** `maxPending`: longest event in characters, for vendors that send whole images in one. */
  constructor(private readonly maxPending = MAX_PENDING) {}

  /** @throws RangeError when a line or an event does not end */
  read(bytes: Buffer, events: SseEvent[] = []): SseEvent[] {
    const text = this.normalise(this.decoder.write(bytes));
    const first = text.indexOf('\n');
    if (first === -1) {
      this.hold(text);
      return events;
    }
    const before = this.pendingChars;
    const buffer = this.release(text);
    let from = 0;
    for (let end = before + first; end !== -1; end = buffer.indexOf('\n', from)) {
      this.line(buffer, from, end, events);
      from = end + 1;
    }
    this.hold(buffer.slice(from));
    return events;
  }

  /** The unfinished event at the end: some vendors omit the last blank line. */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    const rest = this.release(this.decoder.end());
    this.line(rest, 0, rest.length, events);
    this.dispatch(events);
    return events;
  }

  private hold(text: string): void {
    if (text === '') return;
    this.pending.push(text);
    this.pendingChars += text.length;
    this.bound();
  }

  private bound(): void {
    if (this.pendingChars + this.eventChars > this.maxPending) throw new RangeError('The line does not end');
  }

  private release(text: string): string {
    if (this.pending.length === 0) return text;
    this.pending.push(text);
    const whole = this.pending.join('');
    this.pending = [];
    this.pendingChars = 0;
    return whole;
  }

  private normalise(decoded: string): string {
    if (decoded === '') return '';
    let text = decoded;
    if (!this.started) {
      this.started = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (this.afterCr && text.startsWith('\n')) text = text.slice(1);
    this.afterCr = decoded.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  private line(buffer: string, from: number, end: number, events: SseEvent[]): void {
    if (from === end) return this.dispatch(events);
    // Empty `data` lines grow the event too.
    this.eventChars += buffer.startsWith('data:', from) ? end - from : 0;
    this.bound();
    if (buffer.startsWith('data:', from)) {
      const value = fieldValue(buffer, from + 5, end);
      this.data = this.data === null ? value : `${this.data}\n${value}`;
    } else if (buffer.startsWith('event:', from)) {
      this.name = fieldValue(buffer, from + 6, end);
    }
  }

  private dispatch(events: SseEvent[]): void {
    if (this.data !== null) events.push({ name: this.name, data: this.data });
    this.data = null;
    this.eventChars = 0;
    this.name = '';
  }
}

const fieldValue = (buffer: string, from: number, end: number): string =>
  buffer.slice(buffer.charCodeAt(from) === 0x20 ? from + 1 : from, end);

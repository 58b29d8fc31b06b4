import { nowUs } from './clock.mjs';
import { STAMP_SIZE } from './answer.mjs';

const DONE = '[DONE]';

/** Finds the token stamps in a streamed answer, checks their order and yields each token's one-way transit. */
export class StampReader {
  constructor(onToken) {
    this.onToken = onToken;
    this.expected = 0;
    this.outOfOrder = false;
    this.done = false;
    this.tail = '';
  }

  read(buffer, from, to) {
    const now = nowUs();
    const text = this.tail + buffer.latin1Slice(from, to);
    let at = 0;
    for (;;) {
      const found = text.indexOf('~@', at);
      if (found < 0 || found + STAMP_SIZE > text.length) break;
      this.token(text, found, now);
      at = found + STAMP_SIZE;
    }
    if (text.indexOf(DONE, at) >= 0) this.done = true;
    // A stamp or the end mark may be cut by a packet's edge.
    this.tail = text.slice(Math.max(at, text.length - STAMP_SIZE));
  }

  token(text, at, now) {
    const sequence = Number(text.slice(at + 2, at + 6));
    if (sequence !== this.expected % 10_000) this.outOfOrder = true;
    this.expected++;
    this.onToken?.(now, Number(text.slice(at + 7, at + 21)));
  }
}

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
    this.begun = false;
    this.tail = '';
  }

  read(buffer, from, to) {
    const now = nowUs();
    this.begun = true;
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
    const sequence = digits(text, at + 2, 4);
    if (sequence !== this.expected % 10_000) this.outOfOrder = true;
    this.expected++;
    this.onToken?.(now, digits(text, at + 7, 14));
  }
}

function digits(text, at, width) {
  let value = 0;
  for (let i = at; i < at + width; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

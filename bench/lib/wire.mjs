// A small HTTP/1.1 message reader: the load generator and the mock must cost far less than what they measure.
const HEAD = 0;
const LENGTH = 1;
const CHUNK_SIZE = 2;
const CHUNK_DATA = 3;
const CHUNK_END = 4;
const TRAILER = 5;
const UNTIL_CLOSE = 6;

/** Feeds `handler.head(startLine, headText)`, `handler.body(buffer, from, to)` and `handler.end()` per message. */
export class MessageReader {
  constructor(handler, { isResponse }) {
    this.handler = handler;
    this.isResponse = isResponse;
    this.state = HEAD;
    this.left = 0;
    this.rest = null;
    this.lastHead = '';
    this.lastFrame = null;
  }

  push(chunk) {
    const buffer = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = null;
    let at = 0;
    while (at < buffer.length) {
      const next = this.step(buffer, at);
      if (next < 0) {
        // A copy: the caller reads the next packet into the same memory.
        this.rest = Buffer.from(buffer.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** Returns the offset after what was consumed, or -1 when more bytes are needed. */
  step(buffer, at) {
    switch (this.state) {
      case HEAD:
        return this.readHead(buffer, at);
      case LENGTH:
      case CHUNK_DATA:
        return this.readCounted(buffer, at);
      case CHUNK_SIZE:
        return this.readChunkSize(buffer, at);
      case CHUNK_END:
        if (buffer.length - at < 2) return -1;
        this.state = CHUNK_SIZE;
        return at + 2;
      case TRAILER:
        return this.readTrailer(buffer, at);
      default:
        this.handler.body(buffer, at, buffer.length);
        return buffer.length;
    }
  }

  readHead(buffer, at) {
    const end = buffer.indexOf('\r\n\r\n', at, 'latin1');
    if (end < 0) return -1;
    const text = buffer.latin1Slice(at, end);
    if (this.isResponse && text.startsWith('HTTP/1.1 1')) return end + 4;
    // Heads of one connection repeat within a second, so their framing is remembered.
    if (text !== this.lastHead) {
      this.lastHead = text;
      this.lastFrame = framing(text, this.isResponse);
    }
    const { start, length, chunked } = this.lastFrame;
    this.handler.head(start, text);
    if (chunked) this.state = CHUNK_SIZE;
    else if (length > 0) [this.state, this.left] = [LENGTH, length];
    else if (length === 0) this.finish();
    else this.state = UNTIL_CLOSE;
    return end + 4;
  }

  readCounted(buffer, at) {
    const to = Math.min(buffer.length, at + this.left);
    this.handler.body(buffer, at, to);
    this.left -= to - at;
    if (this.left === 0) {
      if (this.state === LENGTH) this.finish();
      else this.state = CHUNK_END;
    }
    return to;
  }

  readChunkSize(buffer, at) {
    const end = buffer.indexOf('\r\n', at, 'latin1');
    if (end < 0) return -1;
    this.left = parseInt(buffer.latin1Slice(at, end), 16);
    this.state = this.left === 0 ? TRAILER : CHUNK_DATA;
    return end + 2;
  }

  readTrailer(buffer, at) {
    const end = buffer.indexOf('\r\n', at, 'latin1');
    if (end < 0) return -1;
    if (end === at) this.finish();
    return end + 2;
  }

  finish() {
    this.state = HEAD;
    this.handler.end();
  }

  /** True when a closed connection left no message half read. */
  closedCleanly() {
    if (this.state === UNTIL_CLOSE) this.finish();
    return this.state === HEAD && !this.rest;
  }
}

function framing(text, isResponse) {
  const start = text.slice(0, text.indexOf('\r\n'));
  const length = /\r\ncontent-length: *(\d+)/i.exec(text);
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(text);
  return { start, chunked, length: length ? Number(length[1]) : isResponse ? -1 : 0 };
}

/** A whole request as bytes, built once and sent many times. */
export function requestBytes({ method = 'POST', path, headers = {}, body = '', port }) {
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  const all = { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) };
  for (const [name, value] of Object.entries(all)) head.push(`${name}: ${value}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

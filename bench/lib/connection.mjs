import { connect } from 'node:net';
import { MessageReader } from './wire.mjs';

// Every packet is read out before the next arrives, so all connections share one piece of memory.
const packet = Buffer.allocUnsafeSlow(65_536);

/** One client connection: `send` a request, then `onBody`, `onEnd(status)` or `onFail(reason)`. */
export class Connection {
  constructor(port, handler) {
    this.handler = handler;
    this.busy = false;
    this.closed = false;
    this.status = 0;
    this.headText = '';
    const reader = new MessageReader(this, { isResponse: true });
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: packet,
        callback(size) {
          reader.push(packet.subarray(0, size));
          return true;
        },
      },
    });
    this.socket.on('error', (error) => this.fail(error.code ?? error.message));
    this.socket.on('end', () => {
      if (!reader.closedCleanly()) this.fail('cut');
    });
    this.socket.on('close', () => {
      this.closed = true;
      this.fail('closed');
    });
  }

  send(bytes) {
    this.busy = true;
    this.socket.write(bytes);
  }

  head(start, text) {
    this.status = Number(start.slice(9, 12));
    this.headText = text;
  }

  body(buffer, from, to) {
    this.handler.onBody(buffer, from, to, this);
  }

  end() {
    this.busy = false;
    this.handler.onEnd(this.status, this);
  }

  fail(reason) {
    if (!this.busy) return;
    this.busy = false;
    this.handler.onFail(reason, this);
  }

  destroy() {
    this.busy = false;
    this.closed = true;
    this.socket.destroy();
  }
}

/** Collects one body and says whether it is the right answer; a fast wrong answer must count as an error. */
export class AnswerCheck {
  constructor(expected) {
    this.expected = Buffer.from(expected);
    this.parts = [];
  }

  onBody(buffer, from, to) {
    this.parts.push(Buffer.from(buffer.subarray(from, to)));
  }

  take() {
    const body = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    this.parts = [];
    return body;
  }

  isRight(status) {
    return this.take().includes(this.expected) && status === 200;
  }
}

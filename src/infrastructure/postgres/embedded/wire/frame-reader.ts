import { type FrontendMessage, HEADER, ProtocolError } from './messages';

/** Far above any statement of the service, far below the memory of the engine. */
const LARGEST_MESSAGE = 256 * 1024 * 1024;
const LARGEST_STARTUP = 10_000;

/** An unknown type byte sends the engine into an endless loop. */
const KNOWN_TYPES = new Set(['Q', 'P', 'B', 'D', 'E', 'C', 'S', 'H', 'F', 'X', 'd', 'c', 'f']);

/**
 * Cuts a byte stream into messages. Start-up messages (start-up, SSL request, cancel) have no type byte: their type is
 * empty.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;
  private started = false;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** The next messages have a type byte. */
  startupDone(): void {
    this.started = true;
  }

  /** @throws {ProtocolError} when the stream cannot be a client's. */
  next(): FrontendMessage | null {
    const prefix = this.started ? 1 : 0;
    if (this.size < prefix + 4) return null;
    const length = this.head(prefix + 4).readInt32BE(prefix);
    const total = prefix + length;
    const largest = this.started ? LARGEST_MESSAGE : LARGEST_STARTUP;
    if (length < 4 || total > largest) throw new ProtocolError(`a message of ${length} bytes`);
    const type = this.started ? this.head(HEADER).toString('latin1', 0, 1) : '';
    if (this.started && !KNOWN_TYPES.has(type)) throw new ProtocolError('a message of unknown type');
    if (this.size < total) return null;
    const all = this.head(total);
    this.chunks = all.length > total ? [all.subarray(total), ...this.chunks.slice(1)] : this.chunks.slice(1);
    this.size -= total;
    return { type, frame: all.subarray(0, total) };
  }

  /**
   * Makes the first chunk hold at least `wanted` bytes. Chunks are joined only then, so a long message is copied once.
   */
  private head(wanted: number): Buffer {
    const first = this.chunks[0] ?? Buffer.alloc(0);
    if (first.length >= wanted) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }
}

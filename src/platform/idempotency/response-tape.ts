import type { Response } from 'express';

/** An answer as it can be given again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON value of an ordinary handler, or base64 bytes of a handler that wrote its response itself. */
  readonly body:
    { readonly kind: 'value'; readonly json?: unknown } | { readonly kind: 'bytes'; readonly base64: string };
}

/** Headers that belong to the answer; the rest belongs to the connection or to the one request. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'x-run-id', 'cache-control', 'x-accel-buffering'];
const MAX_BYTES = 2 * 1024 * 1024;

export function headersOf(response: Response): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = response.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(kept);
}

/**
 * Records what a handler writes to the response itself. The last byte is held back until `beforeEnd` has settled, so a
 * client that has seen the end finds it stored.
 */
export class ResponseTape {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private used = false;
  private settled = false;

  constructor(
    private readonly response: Response,
    private readonly beforeEnd: () => Promise<void>,
  ) {
    this.record();
  }

  /** True once the handler has written anything itself. */
  get manual(): boolean {
    return this.used;
  }

  /** Null when the answer was too long to keep. */
  stored(): StoredResponse | null {
    if (this.bytes > MAX_BYTES) return null;
    const base64 = Buffer.concat(this.chunks).toString('base64');
    return { status: this.response.statusCode, headers: headersOf(this.response), body: { kind: 'bytes', base64 } };
  }

  /** From here on the response is written by Nest, from the handler's value. */
  stop(): void {
    this.settled = true;
  }

  private record(): void {
    const { response } = this;
    const write = response.write.bind(response) as (...given: unknown[]) => boolean;
    const end = response.end.bind(response) as (...given: unknown[]) => Response;
    response.write = ((...given: unknown[]) => {
      this.keep(given);
      return write(...given);
    }) as Response['write'];
    response.end = ((...given: unknown[]) => {
      if (this.settled) return end(...given);
      this.keep(given);
      this.settled = true;
      void this.beforeEnd().finally(() => end(...given));
      return response;
    }) as Response['end'];
  }

  private keep([chunk, encoding]: readonly unknown[]): void {
    if (this.settled) return;
    this.used = true;
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk);
    this.bytes += bytes.length;
    if (this.bytes <= MAX_BYTES) this.chunks.push(bytes);
  }
}

import type { Response } from 'express';

/** An answer for replay. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON value of a handler, or base64 bytes that the handler wrote itself. */
  readonly body:
    { readonly kind: 'value'; readonly json?: unknown } | { readonly kind: 'bytes'; readonly base64: string };
}

/** Headers of the answer; others belong to the connection or to one request. */
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
 * Records the writes of a handler. Delays the end until `beforeEnd` has settled: a client that saw the end finds the
 * answer stored.
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

  /** Nest writes the response from now on. */
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

export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Covers lookup, redirects and the whole body. Milliseconds, 10,000 unless said. */
  readonly timeoutMs?: number;
  /** Largest body read, in bytes, 5 MB unless said. */
  readonly maxBytes?: number;
  /** Called with the length of every part of the body before it is kept; what it throws ends the reading. */
  readonly take?: (bytes: number) => void;
  /** Set for the operator's own URLs (environment): private addresses are dialled. */
  readonly trusted?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An answer that is not read as text. */
export interface OutboundBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

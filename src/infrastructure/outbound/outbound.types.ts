export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds for lookup, redirects and the whole body; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Largest body in bytes; 5 MB by default. */
  readonly maxBytes?: number;
  /** Called with the length of each part before it is kept; throwing ends the reading. */
  readonly take?: (bytes: number) => void;
  /** Called with each URL, redirects included, before it is asked; throwing ends the request. */
  readonly admit?: (url: URL) => Promise<void>;
  /** True for URLs of the operator: allows private addresses. */
  readonly trusted?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface OutboundBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

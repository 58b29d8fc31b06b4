import type { IncomingHttpHeaders } from 'node:http';

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: UpstreamRequestBody;
  /** Milliseconds (monotonic) at which the call arrived. */
  readonly at: number;
  /** Settles when the caller's socket closes before the answer was finished, with the monotonic milliseconds. */
  readonly closedEarly: Promise<number>;
}

export interface UpstreamRequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { role: string; content?: unknown; [member: string]: unknown }[];
  readonly [member: string]: unknown;
}

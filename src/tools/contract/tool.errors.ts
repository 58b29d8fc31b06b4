import type { Usage } from '@bellwether/kernel';
import type { ToolFailureCode } from './tool.types';

export interface ToolFailureOptions {
  /** The same call may succeed a moment later. Timeouts and failed upstream requests are; what the tool refuses is not. */
  readonly retryable?: boolean;
  /** Milliseconds that the other side asked us to wait. */
  readonly retryAfterMs?: number;
  /** Tokens of the model requests that the tool made before it failed. */
  readonly usage?: Usage | null;
}

/** Thrown by a tool that knows how it failed. The message reaches progress, report and run record: no content, no secrets. */
export class ToolFailure extends Error {
  constructor(
    readonly code: ToolFailureCode,
    message: string,
    readonly options: ToolFailureOptions = {},
  ) {
    super(message);
    this.name = 'ToolFailure';
  }
}

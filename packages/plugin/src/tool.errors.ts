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

/** Marks failures of every copy of this package: a plugin may bring one of its own. */
const MARK = Symbol.for('@bellwether/plugin/ToolFailure');

/** Thrown by a tool that knows how it failed. The message reaches progress, report and run record: no content, no secrets. */
export class ToolFailure extends Error {
  readonly [MARK] = true;

  constructor(
    readonly code: ToolFailureCode,
    message: string,
    readonly options: ToolFailureOptions = {},
  ) {
    super(message);
    this.name = 'ToolFailure';
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== ToolFailure) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && MARK in value;
  }
}

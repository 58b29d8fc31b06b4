import type { ToolFailureCode } from './tool.types';

/** Thrown by a tool that knows how it failed. The message reaches progress, report and run record: no content, no secrets. */
export class ToolFailure extends Error {
  constructor(
    readonly code: ToolFailureCode,
    message: string,
  ) {
    super(message);
    this.name = 'ToolFailure';
  }
}

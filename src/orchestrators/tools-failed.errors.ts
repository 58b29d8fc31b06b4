import { AppError, type Usage } from '../kernel';
import type { ToolOutcome } from '../tools';

/** A tool with `on_error: fail` failed; the outcomes of all tools tell what happened before. */
export class ToolsFailed extends AppError {
  constructor(
    detail: string,
    readonly outcomes: readonly ToolOutcome[],
    usage: Usage | null,
  ) {
    super('tool_failed', detail, { usage });
  }
}

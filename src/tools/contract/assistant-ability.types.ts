import type { Source, Usage } from '../../kernel';
import type { Citation } from './citation.types';

/** What another assistant answered, run whole and without streaming. */
export interface AssistantReply {
  readonly text: string;
  readonly sources: readonly Source[];
  /** Where `text` cites `sources`; absent where it does not. */
  readonly citations?: readonly Citation[];
  readonly usage: Usage | null;
}

/**
 * Lets functions and tools reach other assistants; supplied by the door that runs the assistant, absent inside a run that
 * is already nested, so that a tool-using assistant cannot be a tool whatever was stored (ACCESS.md B5).
 */
export interface AssistantAbility {
  /** What the model is told, or null when the assistant may not be offered (ACCESS.md, rows A1–D5, on fresh rows). */
  offer(assistantId: number): Promise<{ readonly name: string; readonly description: string | null } | null>;
  /**
   * Decides again on fresh rows, then runs it. A refusal is written to the audit log with its reason.
   * @throws ToolFailure `tool.unavailable` (refused; the text says no reason), `tool.limit`, `tool.failed`
   */
  run(assistantId: number, query: string, signal: AbortSignal): Promise<AssistantReply>;
}

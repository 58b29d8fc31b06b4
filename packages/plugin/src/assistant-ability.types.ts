import type { Source, Usage } from '@bellwether/kernel';

/**
 * "Write the run-wide number of `sources[source]` here": `at` is a UTF-16 offset in `content`. Numbers run over all tools
 * of the run in tool order, so the engine inserts them after every tool has settled.
 */
export interface Citation {
  readonly at: number;
  readonly source: number;
}

/** The answer of another assistant, which ran whole and without streaming. */
export interface AssistantReply {
  readonly text: string;
  readonly sources: readonly Source[];
  /** Positions in `text` that cite `sources`; absent where it cites none. */
  readonly citations?: readonly Citation[];
  readonly usage: Usage | null;
}

/**
 * Lets functions and tools reach other assistants. The API that runs the assistant supplies it. It is absent inside a
 * nested run, so a tool-using assistant is never a tool, whatever was stored (B5 in docs/reference/access-rules.md).
 */
export interface AssistantAbility {
  /** Name and description for the model; null when the assistant may not be offered, by rows read now. */
  offer(assistantId: number): Promise<{ readonly name: string; readonly description: string | null } | null>;
  /**
   * Decides again on fresh rows, then runs it. A refusal is written to the audit log with its reason.
   * @throws ToolFailure `tool.unavailable` (refused; the text says no reason), `tool.limit`, `tool.failed`
   */
  run(assistantId: number, query: string, signal: AbortSignal): Promise<AssistantReply>;
}

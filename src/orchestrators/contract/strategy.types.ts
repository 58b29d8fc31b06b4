import type { EmitRunEvent, JsonObject } from '../../kernel';
import type { PipelineTool, ToolOutcome, ToolTexts } from '../../tools';

export interface StrategyDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the strategy's own settings; `{}` members when it has none. */
  readonly options_schema: JsonObject;
}

/** What a strategy may do: start tools when it decides to, and nothing else. */
export interface StrategyContext {
  /** Enabled tools in document order. */
  readonly tools: readonly PipelineTool[];
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  readonly emit: EmitRunEvent;
  /**
   * Runs one tool; `after` are the outcomes that it may see. Never rejects. The engine holds the call back while as many
   * tools run as one run may run at once, and answers a second call for the same tool with the first one's outcome.
   */
  readonly start: (tool: PipelineTool, texts: ToolTexts, after: readonly ToolOutcome[]) => Promise<ToolOutcome>;
}

/**
 * Decides when each tool runs. The engine keeps every outcome, orders them by position, numbers their sources, fills the
 * placeholders and builds the messages, whatever the strategy.
 */
export interface OrchestratorStrategy {
  readonly definition: StrategyDefinition;
  /** Resolves once every tool it started has settled. A tool that it never started counts as skipped. */
  execute(context: StrategyContext): Promise<void>;
}

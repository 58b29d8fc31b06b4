import type { EmitRunEvent, JsonObject } from '../../kernel';
import type { PipelineTool, ToolOutcome } from '../../tools';

export interface StrategyDefinition {
  readonly name: string;
  readonly description: string;
  readonly options_schema: JsonObject;
}

/** What a strategy may do: start tools when it decides to, and nothing else. */
export interface StrategyContext {
  /** Enabled tools in document order. */
  readonly tools: readonly PipelineTool[];
  readonly signal: AbortSignal;
  /** Most tools that may run at once in this run. */
  readonly parallelLimit: number;
  readonly emit: EmitRunEvent;
  /** Runs one tool through the invoker, with the outcomes of `after` as its earlier results. Never rejects. */
  readonly start: (tool: PipelineTool, messages: ToolMessages, after: readonly ToolOutcome[]) => Promise<ToolOutcome>;
}

/** Progress texts differ between strategies (spec 000 §3.4.3). */
export interface ToolMessages {
  readonly started: string;
  readonly completed: (chars: number) => string;
}

/** Decides when each tool runs; the engine orders results by position, fills placeholders and builds the report. */
export interface OrchestratorStrategy {
  readonly definition: StrategyDefinition;
  /** Resolves with one outcome per tool, in any order, once all have settled. */
  execute(context: StrategyContext): Promise<readonly ToolOutcome[]>;
}

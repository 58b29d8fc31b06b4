import type { Caller, ChatMessage, EmitRunEvent, JsonObject, PlanSummary, Principal, Usage } from '../../kernel';
import type { Features } from '../../organizations';
import type { CompiledTool, PipelineTool, ToolFallback, ToolOutcome, ToolTexts } from '../../tools';

/** Settings of a tool's entry that only some strategies look at. */
export const STRATEGY_SETTINGS = ['depends_on', 'on_dependency_failure', 'when'] as const;
export type StrategySetting = (typeof STRATEGY_SETTINGS)[number];

/** `chain`: each tool follows the one before it. `parallel`: none waits. `dependencies`: each waits for its `depends_on`. */
export const STRATEGY_ORDERS = ['chain', 'parallel', 'dependencies'] as const;

/** How a diagram draws the tools, and which results a tool can see. */
export interface StrategyShape {
  readonly order: (typeof STRATEGY_ORDERS)[number];
  /** A plan made for each question decides which tools run. */
  readonly planned: boolean;
}

/** Texts of the web UI in one of its languages. */
export interface StrategyText {
  readonly name: string;
  /** One sentence on how the tools run. */
  readonly about: string;
  /** One sentence on when to choose it. */
  readonly best: string;
}

/** The only declaration of a strategy: catalogue, validation, OpenAPI, forms and diagrams read it. */
export interface StrategyDefinition {
  readonly name: string;
  readonly description: string;
  /** A missing language falls back to `description`. */
  readonly texts?: Readonly<Partial<Record<'en' | 'es' | 'ca' | 'eu', StrategyText>>>;
  /** Settings of entries that it heeds. An assistant that has others is told so. */
  readonly reads: readonly StrategySetting[];
  readonly shape: StrategyShape;
  /** The organization's feature without which assistants with this strategy are neither saved nor run. */
  readonly feature?: keyof Features;
  /** The one to start with. */
  readonly recommended?: boolean;
  /** JSON Schema of `orchestrator_options` in the document; no `properties` when it has none. */
  readonly options_schema: JsonObject;
}

/** What is known of the request that the tools work for. */
export interface StrategyRequest {
  readonly runId: string;
  readonly assistantId: number;
  /** Version of the stored definition. */
  readonly assistantVersion: number;
  /** Text of the last user message. */
  readonly question: string;
  readonly messages: readonly ChatMessage[];
  /** `metadata` of the completion request. */
  readonly metadata: JsonObject;
  readonly caller: Caller;
  readonly owner: Principal;
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
}

/** One of several calls of a tool, as a plan wants it. */
export interface Step {
  /** One of its kind in the run. */
  readonly id: string;
  /** Asked instead of the question. */
  readonly query?: string;
  /** Members that replace those of the entry's config; the strategy has checked them. */
  readonly config?: JsonObject;
  readonly timeoutMs?: number;
  /** Instead of the entry's own. */
  readonly fallback?: ToolFallback;
}

/** What a strategy may do: start tools when it decides to, or say why it does not. */
export interface StrategyContext {
  readonly request: StrategyRequest;
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  readonly emit: EmitRunEvent;
  /**
   * Runs one tool; `after` are the outcomes that it may see. Never rejects. The engine holds the call back while as many
   * tools run as one run may run at once. Without a step, a second call for the same tool is answered with the first
   * one's outcome; with steps, each id runs once, and the contents of a tool's steps join in the order in which they were
   * declared (`declare`), whenever each finished.
   */
  readonly start: (
    tool: CompiledTool,
    texts: ToolTexts,
    after: readonly ToolOutcome[],
    step?: Step,
  ) => Promise<ToolOutcome>;
  /** Settles a tool, or one of its declared steps, that does not run, with the reason that events and report show. */
  readonly skip: (tool: PipelineTool, reason: string, stepId?: string) => ToolOutcome;
  /** Says in which order the steps of one tool join. Called before the first of them starts. */
  readonly declare: (tool: PipelineTool, stepIds: readonly string[]) => void;
}

/** What a strategy tells of its run, for the report. */
export interface StrategyTrace {
  /** Names of tools or steps; those of one stage wait for earlier stages only. */
  readonly stages?: readonly (readonly string[])[];
  readonly plan?: PlanSummary;
  /** Tokens that the strategy itself spent, beside those of its tools. */
  readonly usage?: Usage | null;
}

/** Resolves once every tool it started has settled. A tool that it neither started nor skipped counts as skipped. */
export type RunStrategy = (context: StrategyContext) => Promise<StrategyTrace | void>;

/**
 * Decides when each tool runs. The engine keeps every outcome, orders them by position, numbers their sources, fills the
 * placeholders and builds the messages, whatever the strategy.
 */
export interface OrchestratorStrategy {
  readonly definition: StrategyDefinition;
  /**
   * Prepares everything that does not depend on a request; called once for each stored version of an assistant. Pure, and
   * never throws. `tools` are the enabled ones of the phase `pipeline`, in document order; `options` are the document's
   * `orchestrator_options` with the schema's defaults.
   */
  compile(tools: readonly CompiledTool[], options: JsonObject): RunStrategy;
}

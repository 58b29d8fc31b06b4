import type {
  Awaitable,
  Caller,
  ChatMessage,
  EmitRunEvent,
  JsonObject,
  PlanSummary,
  Principal,
  Usage,
} from '@bellwether/kernel';
import type { CompiledTool } from './compiled-tool.types';
import type { PipelineTool, ToolFallback, ToolOutcome, ToolTexts } from './tool.types';

/** Settings of a tool's entry that only some strategies look at. */
export const STRATEGY_SETTINGS = ['depends_on', 'on_dependency_failure', 'when', 'example_questions'] as const;
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
  readonly feature?: 'functions' | 'planned' | 'sharing' | 'publishing';
  /** The one to start with. */
  readonly recommended?: boolean;
  /** JSON Schema of `orchestrator_options` in the document; no `properties` when it has none. */
  readonly options_schema: JsonObject;
}

/** The request that the tools work for. */
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

/** The actions of a strategy: start a tool, or skip it with a reason. */
export interface StrategyContext {
  readonly request: StrategyRequest;
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  readonly emit: EmitRunEvent;
  /**
   * Runs one tool; `after` are the outcomes that it may see. Never rejects. The call waits while the run is at its
   * limit of parallel tools. Without a step, a second call for the same tool gets the first outcome. With steps, each
   * id runs once, and a tool's contents join in declared order (`declare`).
   */
  readonly start: (
    tool: CompiledTool,
    texts: ToolTexts,
    after: readonly ToolOutcome[],
    step?: Step,
  ) => Promise<ToolOutcome>;
  /** Runs one tool like `start`; gives the outcome itself, without a promise, where the tool answers at once. */
  readonly call: (
    tool: CompiledTool,
    texts: ToolTexts,
    after: readonly ToolOutcome[],
    step?: Step,
  ) => Awaitable<ToolOutcome>;
  /** Settles a tool or a declared step that does not run. Events and report show the reason. */
  readonly skip: (tool: PipelineTool, reason: string, stepId?: string) => ToolOutcome;
  /** Says in which order the steps of one tool join. Called before the first of them starts. */
  readonly declare: (tool: PipelineTool, stepIds: readonly string[]) => void;
}

/** A strategy's record of its run, for the report. */
export interface StrategyTrace {
  /** Names of tools or steps; those of one stage wait for earlier stages only. */
  readonly stages?: readonly (readonly string[])[];
  readonly plan?: PlanSummary;
  /** Tokens that the strategy itself spent, beside those of its tools. */
  readonly usage?: Usage | null;
}

/** Ends once every tool it started has settled. A tool that it neither started nor skipped counts as skipped. */
export type RunStrategy = (context: StrategyContext) => Awaitable<StrategyTrace | void>;

/**
 * Decides when each tool runs. The engine does the rest: it keeps outcomes by position, numbers sources, fills
 * placeholders and builds the messages.
 */
export interface OrchestratorStrategy {
  readonly definition: StrategyDefinition;
  /**
   * Prepares everything that does not depend on a request; called once for each stored version of an assistant. Pure,
   * and never throws. `tools`: the enabled ones of the phase `pipeline`, in document order. `options`:
   * `orchestrator_options` with the schema's defaults.
   */
  compile(tools: readonly CompiledTool[], options: JsonObject): RunStrategy;
}

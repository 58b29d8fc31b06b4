import type { ChatMessage, JsonObject, Usage } from '@bellwether/kernel';
import type { ToolFallback, ToolOutcome } from '../../tools';
import type { PlannableTool } from './tool-profile';

export const PLANNERS = ['heuristic', 'model'] as const;
export type PlannerName = (typeof PLANNERS)[number];
export const PLANNER_CHOICES = ['auto', ...PLANNERS] as const;
export type PlannerChoice = (typeof PLANNER_CHOICES)[number];

export const QUERY_TYPES = [
  'smalltalk',
  'simple',
  'exact',
  'comparison',
  'multi_part',
  'multi_hop',
  'list_building',
] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export interface SubQuery {
  readonly id: string;
  readonly text: string;
  /** Ids of sub-queries whose answers this one needs. */
  readonly dependencies: readonly string[];
}

/** The type and the sub-queries of a question. A simple question has one sub-query: itself. */
export interface Decomposition {
  readonly type: QueryType;
  readonly sub_queries: readonly SubQuery[];
  /** 0..1: how sure the type and the sub-queries are. */
  readonly confidence: number;
}

/** The strategy's settings (`orchestrator_options`). */
export interface PlanningOptions {
  /** `auto`: a model where one is configured, else the heuristic planner. */
  readonly planner?: PlannerChoice;
  readonly max_steps?: number;
  /** Plans this share of requests (0..1) with another planner, to compare them. */
  readonly experiment?: { readonly planner: PlannerChoice; readonly fraction: number };
}

export interface PlanRequest {
  readonly organizationId: string;
  readonly assistantId: number;
  /** Version of the stored definition. */
  readonly assistantVersion: number;
  /** Text of the last user message. */
  readonly query: string;
  readonly messages: readonly ChatMessage[];
  /** Tools that may be planned (`Planner.compile`): enabled, of the phase `pipeline`, in document order. */
  readonly tools: readonly PlannableTool[];
  /** Connector that the assistant names, `auto` for the organization's default. */
  readonly connector: string;
  readonly options: PlanningOptions;
  readonly signal: AbortSignal;
  /** Null for a preview, which runs nothing (`POST …/plan`). */
  readonly runId: string | null;
}

/** Another of the assistant's tools that runs in a step's place; ready for `Step.fallback`. */
export interface PlannedFallback extends ToolFallback {
  readonly placeholder: string | null;
}

export const EXECUTION_MODES = ['parallel', 'sequential'] as const;

export interface PlanStep {
  /** Unique in the plan. */
  readonly id: string;
  /** Canonical plugin name of one of the assistant's tools. */
  readonly tool: string;
  /** Position of that tool in the document's `tools`. */
  readonly index: number;
  readonly placeholder: string | null;
  /** The tool's question: a sub-query, or the user's question. */
  readonly query: string;
  /** Members that replace those of the tool's config: `top_k` and `threshold` only, checked against its schema. */
  readonly config: JsonObject;
  /** Ids of steps whose outcomes this one sees; they come earlier in the plan. */
  readonly dependencies: readonly string[];
  /** `parallel` when another step shares its stage. For display only: a step starts when its own dependencies are done. */
  readonly execution_mode: (typeof EXECUTION_MODES)[number];
  readonly timeout_ms: number;
  readonly fallback: PlannedFallback | null;
}

export interface ToolPlan {
  readonly id: string;
  readonly planner: PlannerName;
  /** Whether the plan was made for a similar question and cached. */
  readonly cached: boolean;
  /** Type of the question and the kind of tool it names; outcomes are counted by it. */
  readonly query_class: string;
  readonly decomposition: Decomposition;
  /** Dependencies come first; empty when no tool is needed. */
  readonly steps: readonly PlanStep[];
  /** Ids of steps; those of one stage depend on earlier stages only. */
  readonly stages: readonly (readonly string[])[];
  readonly reasoning: string;
  /** 0..1 */
  readonly confidence: number;
  readonly estimated_duration_ms: number;
  /** Tokens that the tools are expected to spend. */
  readonly estimated_cost: number;
  /** Parts dropped from a model's plan, or the reason why it has no plan. */
  readonly warnings: readonly string[];
  /** Tokens that the model spent on planning; null when no model was asked, or the model reported none. */
  readonly usage?: Usage | null;
  /** Milliseconds that planning took. */
  readonly planning_ms: number;
  /** Arm of the experiment: `a` is the assistant's own planner, `b` the one it is compared with. */
  readonly experiment?: 'a' | 'b';
}

/** How a plan's run went. */
export interface PlanResult {
  readonly organizationId: string;
  readonly assistantId: number;
  /** One per tool or one per step, failed and skipped ones included. */
  readonly outcomes: readonly ToolOutcome[];
  /** From the first step's start to the last one's end. */
  readonly duration_ms: number;
}

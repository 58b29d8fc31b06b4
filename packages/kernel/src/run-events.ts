import type { ErrorCode } from './errors';
import type { JsonObject } from './values/json';
import type { ToldSearch } from './chat/search-facts';
import type { Source } from './chat/sources';
import type { Usage } from './chat/chat';

/** One call of a function by the model. */
export interface FunctionCallRef {
  /** Id of the call in the model request, unique in the run. */
  readonly id: string;
  /** Name of an offered function, else `unknown`. */
  readonly name: string;
  /** Model request that asked for it, from 1. */
  readonly round: number;
}

/**
 * A pipeline tool of a run; `index` counts from 0 over `tools` of the document. With `call` it is a function that the
 * model called: `index` counts the calls, `placeholder` is null.
 */
export interface ToolRef {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  /** Name that the assistant's author gave the tool; absent without one. */
  readonly label?: string;
  readonly call?: FunctionCallRef;
  /** Id of the step of a plan; a tool may have several. */
  readonly step?: string;
}

/** A try that was ended early because the previous tries were much quicker. */
export interface BoundedTry {
  /** Milliseconds that the try was given. */
  readonly after_ms: number;
  /** Milliseconds of the longest of the last `tries` tries. */
  readonly longest_ms: number;
  readonly tries: number;
}

/** A plan in events and reports: names, numbers and the reasoning of the planner. */
export interface PlanSummary {
  readonly plan_id: string;
  readonly planner: 'heuristic' | 'model';
  /** The plan was cached for a similar question. */
  readonly cached: boolean;
  readonly steps: readonly {
    readonly id: string;
    readonly index: number;
    readonly plugin: string;
    readonly placeholder: string | null;
    readonly dependencies: readonly string[];
  }[];
  /** Ids of steps; those of one stage depend on earlier stages only. For reading: a step starts when its own dependencies are done. */
  readonly stages: readonly (readonly string[])[];
  readonly reasoning: string;
  /** 0..1 */
  readonly confidence: number;
  readonly duration_ms: number;
}

interface WithMessage {
  /** Human-readable progress text; never content of tools or messages. */
  readonly message: string;
}

export type ToolEvent =
  | ({ readonly type: 'tool.started' } & ToolRef & WithMessage)
  | ({ readonly type: 'tool.progress' } & ToolRef & WithMessage)
  | ({
      readonly type: 'tool.retry';
      readonly attempt: number;
      readonly delay_ms: number;
      /** Set when learned time ended the try. */
      readonly bounded?: BoundedTry;
    } & ToolRef &
      WithMessage)
  | ({ readonly type: 'tool.skipped'; readonly reason: string } & ToolRef & WithMessage)
  | ({
      readonly type: 'tool.completed';
      readonly chars: number;
      readonly sources: number;
      readonly duration_ms: number;
      readonly cached: boolean;
      readonly confidence: number | null;
      readonly retries: number;
      /** Last try that learned time ended. */
      readonly bounded?: BoundedTry;
      /** Fallback tool that answered. */
      readonly fallback?: string;
      /** Details of a search in knowledge bases. */
      readonly search?: ToldSearch;
    } & ToolRef &
      WithMessage)
  | ({
      readonly type: 'tool.failed';
      readonly code: string;
      /** Absent in runs recorded by older versions. */
      readonly retries?: number;
      readonly bounded?: BoundedTry;
    } & ToolRef &
      WithMessage);

/** Events of a run (docs/reference/events.md). `warning` carries notices of degraded modes. */
export type RunEvent =
  | {
      readonly type: 'run.started';
      readonly assistant_id: number;
      readonly assistant_type: 'classic' | 'multi_tool';
      readonly strategy: string | null;
    }
  | ({ readonly type: 'run.progress' } & WithMessage)
  | ({ readonly type: 'warning'; readonly code: string } & WithMessage)
  | ToolEvent
  /** Strategy `planned`: the plan, before the first tool starts. */
  | ({ readonly type: 'plan.ready' } & PlanSummary & WithMessage)
  | { readonly type: 'prompt.ready'; readonly messages: number; readonly chars: number }
  /** A check of the finished answer, which does not change it. */
  | ({ readonly type: 'answer.checked'; readonly result: JsonObject } & ToolRef & WithMessage)
  /** `round` from 2 on, when the model is asked again with the results of its calls. */
  | { readonly type: 'llm.started'; readonly connector: string; readonly model: string; readonly round?: number }
  /** A function call of the model; `chars` is the length of its arguments. */
  | ({ readonly type: 'llm.tool_call'; readonly chars: number } & FunctionCallRef)
  | { readonly type: 'llm.delta'; readonly text: string }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'run.completed'; readonly finish_reason: string }
  | { readonly type: 'run.failed'; readonly code: ErrorCode; readonly message: string }
  | { readonly type: 'run.cancelled'; readonly reason: string };

/** `at` is ISO 8601 UTC; `seq` counts from 1 within the run. */
export type StampedRunEvent = RunEvent & { readonly run_id: string; readonly seq: number; readonly at: string };

export type EmitRunEvent = (event: RunEvent) => void;

export const RUN_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

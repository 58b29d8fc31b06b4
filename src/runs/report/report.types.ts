import type { BoundedTry, PlanSummary, Source, VendorFailure } from '../../kernel';

export interface ReportTool {
  /** From 0; the Markdown counts from 1, as spec 000 §3.4.5 does. */
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly enabled: boolean;
  readonly config: unknown;
}

export interface ReportResult {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly status: 'completed' | 'failed' | 'skipped';
  /** UTF-16 units of the whole content, whatever the preview holds. */
  readonly chars: number;
  /** Number of sources. */
  readonly sources: number;
  readonly duration_ms: number;
  /** The content itself; `shapeReport` cuts it. */
  readonly preview: string;
  /** What was asked instead of the user's message. */
  readonly query?: string;
  /** Tries after the first; absent for skipped tools. */
  readonly retries?: number;
  /** The last try that history ended before its time; absent where it ended none. */
  readonly bounded?: BoundedTry;
  readonly code?: string;
  readonly message?: string;
}

/** A function that the model was offered. */
export interface ReportFunction {
  readonly name: string;
  readonly plugin: string;
}

/** A function that the model called. */
export interface ReportCall {
  /** Counts the calls of the run, from 0. */
  readonly index: number;
  /** Model request of the run that asked for it, from 1. */
  readonly round: number;
  /** `unknown` for a name that was not offered. */
  readonly name: string;
  readonly plugin: string;
  readonly status: 'completed' | 'failed';
  /** JSON as the model wrote it; `shapeReport` cuts it. */
  readonly arguments: string;
  /** UTF-16 units of the whole result. */
  readonly chars: number;
  readonly duration_ms: number;
  /** True for a call that was made before with the same arguments. */
  readonly cached: boolean;
  /** What the model was told; `shapeReport` cuts it. */
  readonly preview: string;
  readonly code?: string;
}

export interface ReportMessage {
  readonly role: string;
  readonly content: string;
}

/** A part of the filled template: what its author wrote, or what stands in a slot, between blank lines unless it is empty. */
export interface ReportPromptPart {
  /** Name of the slot without braces; absent for the author's own text. */
  readonly slot?: string;
  /** The tool that filled it; absent for the question and for what nothing fills. */
  readonly index?: number;
  /** The content itself; `shapeReport` cuts it. */
  readonly text: string;
  /** UTF-16 units of the whole content. */
  readonly chars: number;
}

/**
 * What one run did, for those who may edit the assistant (spec 000 §3.4.5). Pipelines hand it over with whole texts
 * (only references, nothing is copied); `shapeReport` cuts and redacts it before anyone sees or stores it.
 */
export interface RunReport {
  /** ISO 8601 UTC. */
  readonly created_at: string;
  readonly orchestrator: string | null;
  readonly assistant: { readonly id: number; readonly name: string; readonly type: 'classic' | 'multi_tool' };
  readonly request: { readonly user_message: string; readonly stream: boolean };
  readonly tools: readonly ReportTool[];
  readonly results: readonly ReportResult[];
  readonly sources: readonly Source[];
  /** Build them with `reportMessage`, which is safe for list content and images. */
  readonly messages: readonly ReportMessage[];
  /** The template as it was filled, in order; absent where the assistant has none. */
  readonly prompt?: readonly ReportPromptPart[];
  readonly warnings: readonly string[];
  /** Names of tools or ids of steps, each stage behind those that it waits for; absent where the strategy has none. */
  readonly stages?: readonly (readonly string[])[];
  readonly plan?: PlanSummary;
  /** Absent where the model was offered none. */
  readonly functions?: readonly ReportFunction[];
  /** In the order of the model's requests. */
  readonly calls?: readonly ReportCall[];
  /** The model vendor's answer when it failed; absent where it did not. */
  readonly vendor_failure?: VendorFailure;
}

/** A report after cutting: the sources and messages that were left out are counted. */
export interface ShapedReport extends RunReport {
  readonly totals: { readonly sources: number; readonly messages: number };
}

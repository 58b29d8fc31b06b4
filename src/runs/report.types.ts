import type {
  BoundedTry,
  ChatMessage,
  PlanSummary,
  Source,
  SourcePassage,
  ToldSearch,
  Usage,
  VendorFailure,
} from '@bellwether/kernel';

/** Results of the tools of the phase `answer`, which never change the answer. */
export interface AnswerChecks {
  /** One per tool in document order, with whole contents, for the report. */
  readonly results: readonly ReportResult[];
  /** Tokens spent by the tools. */
  readonly usage: Usage | null;
}

/** The final messages for the model, with the account of their preparation. */
export interface PreparedPrompt {
  readonly messages: readonly ChatMessage[];
  /** Once each, in tool order. */
  readonly sources: readonly Source[];
  /** Texts that the tools found, in tool order. */
  readonly passages: readonly SourcePassage[];
  readonly report: RunReport;
  /** Whether the material fits the question; absent for assistants that fetch none. */
  readonly fit?: 'fits' | 'nothing' | 'unread';
  /** Tokens spent by tools before the model request. */
  readonly usage?: Usage | null;
  /** Checks the finished answer, once; its tools emit events. Never rejects. Absent without check tools. */
  readonly afterAnswer?: (answer: string) => Promise<AnswerChecks>;
}

export interface ReportTool {
  /** From 0; the Markdown counts from 1. */
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  /** Name that the author gave the tool; absent without one. */
  readonly label?: string;
  readonly enabled: boolean;
  readonly config: unknown;
}

export interface ReportResult {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly status: 'completed' | 'failed' | 'skipped';
  /** UTF-16 units of the whole content. */
  readonly chars: number;
  /** Number of sources. */
  readonly sources: number;
  /** Numbers of its sources in the run; absent without sources. */
  readonly source_numbers?: readonly number[];
  readonly duration_ms: number;
  /** The content itself; `shapeReport` cuts it. */
  readonly preview: string;
  /** The tool's query, when it differs from the user's message. */
  readonly query?: string;
  /** Details of a search in knowledge bases. */
  readonly search?: ToldSearch;
  /** Tries after the first; absent for skipped tools. */
  readonly retries?: number;
  /** The last try that the learned time limit ended; absent without one. */
  readonly bounded?: BoundedTry;
  readonly code?: string;
  readonly message?: string;
}

/** A function offered to the model. */
export interface ReportFunction {
  readonly name: string;
  readonly plugin: string;
}

/** A function call of the model. */
export interface ReportCall {
  /** Counts the calls of the run, from 0. */
  readonly index: number;
  /** Number of the model request that made the call, from 1. */
  readonly round: number;
  /** `unknown` for a name that was not offered. */
  readonly name: string;
  readonly plugin: string;
  readonly status: 'completed' | 'failed';
  /** JSON as the model wrote it; `shapeReport` cuts it. */
  readonly arguments: string;
  /** UTF-16 units of the whole result. */
  readonly chars: number;
  /** Numbers of its sources in the run; absent without sources. */
  readonly source_numbers?: readonly number[];
  readonly duration_ms: number;
  /** True for a repeated call with the same arguments. */
  readonly cached: boolean;
  /** The result as the model read it; `shapeReport` cuts it. */
  readonly preview: string;
  readonly code?: string;
}

/** The numbers as reports hold them. */
export const sourceNumbers = (sources: readonly Source[]): { readonly source_numbers?: readonly number[] } =>
  sources.length === 0 ? {} : { source_numbers: [...new Set(sources.flatMap(({ n }) => n ?? []))] };

export interface ReportMessage {
  readonly role: string;
  readonly content: string;
}

/** A part of the filled template: the author's text, or the content of a slot. Non-empty slots stand between blank lines. */
export interface ReportPromptPart {
  /** Name of the slot without braces; absent for the author's own text. */
  readonly slot?: string;
  /** The tool that filled it; absent for the question and for unfilled slots. */
  readonly index?: number;
  /** The content itself; `shapeReport` cuts it. */
  readonly text: string;
  /** UTF-16 units of the whole content. */
  readonly chars: number;
}

/**
 * The account of one run for editors of the assistant (docs/reference/events.md). Pipelines return it with whole texts;
 * `shapeReport` cuts and redacts it before it is shown or stored.
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
  /** The filled template in order; absent without a template. */
  readonly prompt?: readonly ReportPromptPart[];
  readonly warnings: readonly string[];
  /** Names of tools or ids of steps, in stages. A stage waits for earlier ones. Absent without stages. */
  readonly stages?: readonly (readonly string[])[];
  readonly plan?: PlanSummary;
  /** Absent when no function was offered. */
  readonly functions?: readonly ReportFunction[];
  /** Calls in the order of the model's requests. */
  readonly calls?: readonly ReportCall[];
  /** The failed answer of the model vendor; absent without a failure. */
  readonly vendor_failure?: VendorFailure;
}

/** A cut report. The totals count omitted sources and messages as well. */
export interface ShapedReport extends RunReport {
  readonly totals: { readonly sources: number; readonly messages: number };
}

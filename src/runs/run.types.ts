import type {
  BoundedTry,
  Caller,
  ChatMessage,
  ErrorCode,
  FunctionCallRef,
  JsonObject,
  Page,
  PlanSummary,
  RunEvent,
  RunStatus,
  Source,
  SourcePassage,
  StampedRunEvent,
  ToldSearch,
  Usage,
} from '@bellwether/kernel';
import type { ReportResult, RunReport, ShapedReport } from './report.types';

/** A function that the model was offered. */
export interface OfferedDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A function call of the model with the result that the model read. */
export interface RecordedCall {
  readonly round: number;
  readonly name: string;
  readonly plugin: string;
  readonly status: 'completed' | 'failed';
  /** JSON as the model wrote it. */
  readonly arguments: string;
  /** Null when the result is about the asker as a person: it is not kept. */
  readonly content: string | null;
  readonly sources: readonly Source[];
}

export interface OfferedFunctions {
  readonly declarations: readonly OfferedDeclaration[];
  readonly calls: readonly RecordedCall[];
}

/** Whole request and output of a run, until its record is written. */
export interface RunFacts {
  /** Messages and parameters of the client. */
  readonly request: { readonly messages: readonly ChatMessage[]; readonly params: JsonObject };
  /** Rule of a course that was added to the prompt; null without one. */
  readonly instruction: string | null;
  /** The definition that was not saved; null for a saved one. */
  readonly definition: unknown;
  /** How the assistant was made, for a hash. */
  readonly document: unknown;
  /** The final messages; null when the run ended before. */
  readonly prompt: readonly ChatMessage[] | null;
  /** The answer that needed no model; null when a model was asked. */
  readonly fixed: string | null;
  /** Null for assistants without functions. */
  readonly functions: OfferedFunctions | null;
  readonly passages: readonly SourcePassage[];
  readonly results: readonly ReportResult[];
  readonly checks: readonly ReportResult[];
  readonly answer: string;
}

/** Why a run cannot be replayed from its record. */
export const UNKEPT_REASONS = ['no_prompt', 'too_large', 'secret'] as const;
export type UnkeptReason = (typeof UNKEPT_REASONS)[number];

/** The part of the facts that is stored for replays. */
export type Recording = Pick<RunFacts, 'request' | 'instruction' | 'definition' | 'fixed' | 'functions' | 'answer'> & {
  readonly prompt: readonly ChatMessage[];
};

/** The run that this one repeats. */
export interface RunReplay {
  readonly of: string;
  readonly mode: 'recorded' | 'fresh';
  /** Differences from the repeated run, by name. */
  readonly changes: JsonObject;
}

export interface RunLimits {
  /** Milliseconds from the run's start to its deadline. */
  readonly timeoutMs: number;
  /** Tokens of all model answers, including those of called assistants. */
  readonly tokens: number;
  /** Calls of one target, for example of one assistant. */
  readonly callsPerTarget: number;
}

/** Limits of one run. Runs of called assistants share the object. */
export class RunBudget {
  /** Monotonic milliseconds (`performance.now()`). */
  readonly deadline: number;
  private tokens = 0;
  private readonly calls = new Map<string, number>();

  constructor(
    private readonly limits: RunLimits,
    startedMono: number = performance.now(),
  ) {
    this.deadline = startedMono + limits.timeoutMs;
  }

  /** 0 when the deadline has passed. */
  get remainingMs(): number {
    return Math.max(0, this.deadline - performance.now());
  }

  get spentTokens(): number {
    return this.tokens;
  }

  /** True when the tokens or the time are used up. */
  get isSpent(): boolean {
    return this.tokens >= this.limits.tokens || this.remainingMs === 0;
  }

  spend(usage: Usage | null | undefined): void {
    if (usage) this.tokens += usage.total_tokens;
  }

  /** Counts a call of a target such as `assistant:7`. False when the limit is reached. */
  takeCall(target: string): boolean {
    const made = this.calls.get(target) ?? 0;
    if (made >= this.limits.callsPerTarget) return false;
    this.calls.set(target, made + 1);
    return true;
  }
}

/** The run that started another one. */
export interface ParentRun {
  readonly runId: string;
  /** Depth of the child: 1 below a run of depth 0. */
  readonly depth: number;
  /** The parent's own object, deadline included: the child spends from it. */
  readonly budget: RunBudget;
  /** Checks on fresh rows whether the call is still allowed. */
  readonly mayGoOn: (caller: Caller) => Promise<boolean>;
}

/** The event log of a background run. */
export interface RunLog {
  /** Readers see the event after its commit. */
  append(event: StampedRunEvent): void;
  /** False when the buffer is full; then only the terminal event is appended. */
  readonly hasSpace: boolean;
  /** Resolves when the buffer is below its high-water mark, or the log is closed; undefined when it is so now. */
  drained(): Promise<void> | undefined;
}

/** An event in the log and on the wire. `data` is the JSON text of the stamped event. */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: RunEvent['type'];
  readonly at: string;
  readonly data: string;
}

/** The stored facts of a background run. */
export interface RunSeed {
  readonly id: string;
  readonly createdAt: Date;
  readonly log: RunLog;
  /** `seq` of the last event of an earlier try; 0 for none. */
  readonly lastSeq: number;
}

export interface RunInput {
  readonly assistant: {
    readonly id: number;
    readonly name: string;
    readonly organizationId: string;
    readonly ownerId: string;
    readonly type: 'classic' | 'multi_tool';
    /** Absent in runs that an earlier release queued. */
    readonly version?: number;
  };
  readonly caller: Caller;
  readonly strategy: string | null;
  readonly stream: boolean;
  /** The run that started this one; absent or null for a client's run. */
  readonly parentRunId?: string | null;
  /** True for a definition that was not saved. */
  readonly draft?: boolean;
  /** The activity of a course in whose conversation the question was asked; absent without one. */
  readonly activityId?: string;
  /** Text of the question; the record keeps its beginning. */
  readonly question?: string;
  /** Absent for a run that repeats no other. */
  readonly replay?: RunReplay;
}

/** How a run ended. Facts that were unknown by then are missing. */
export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly finishReason?: string | null;
  readonly errorCode?: ErrorCode | null;
  /** Client-safe text of the failure, or the reason of the cancellation. */
  readonly message?: string;
  readonly connector?: string | null;
  readonly model?: string | null;
  readonly sources?: readonly Source[];
  /** Texts that the tools found. */
  readonly passages?: readonly SourcePassage[];
  readonly usage?: Usage | null;
  /** Millionths of the organization's currency. */
  readonly costMicros?: number;
  readonly report?: RunReport | null;
  /** Monotonic milliseconds since the run was opened; null when it failed earlier. */
  readonly preparedMs?: number | null;
  readonly firstTokenMs?: number | null;
  /** Values that must not appear in the stored report: provider keys and tokens of the organization. */
  readonly secrets?: readonly string[];
  /** Absent for a run that was refused. */
  readonly facts?: RunFacts;
}

/** Time and result of a tool or function call. */
export interface ToolTiming {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  /** Name that the author gave the tool; absent without one. */
  readonly label?: string;
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly duration_ms: number | null;
  readonly chars: number | null;
  readonly cached: boolean;
  readonly retries: number;
  /** The last try that the learned time limit ended; absent without one. */
  readonly bounded?: BoundedTry;
  readonly code: string | null;
  /** 0..1; null when the tool states none. */
  readonly confidence: number | null;
  /** The tool that answered instead. */
  readonly fallback?: string;
  /** Details of a search in knowledge bases. */
  readonly search?: ToldSearch;
  /** Id of the plan's step; a tool may run in several steps. */
  readonly step?: string;
  /** Set for functions. `index` then counts the model's calls. */
  readonly call?: FunctionCallRef;
}

export const RATING_VALUES = ['up', 'down'] as const;
export type RatingValue = (typeof RATING_VALUES)[number];

/** The asker's opinion of the answer. */
export interface RunRating {
  readonly value: RatingValue;
  readonly reason: string | null;
}

/** A stored run. Milliseconds are monotonic; `createdAt` and `finishedAt` are ISO 8601 UTC. */
export interface RunRecord {
  readonly id: string;
  /** Organization of the assistant, which pays for the run. */
  readonly organizationId: string;
  /** Organization of the asker when it is another one; else null. */
  readonly callerOrganizationId: string | null;
  /** The run that started this one; null for a client's run. */
  readonly parentRunId: string | null;
  readonly userId: string;
  readonly credentialId: string | null;
  /** Id of the HTTP request that asked; null without one, and in old runs. */
  readonly requestId: string | null;
  readonly assistantId: number;
  readonly assistantName: string;
  readonly assistantType: 'classic' | 'multi_tool';
  /** Version of the assistant that answered; null in old runs and in runs of drafts. */
  readonly assistantVersion: number | null;
  /** Beginning of the question, redacted; null in old runs and after the contents were deleted. */
  readonly question: string | null;
  readonly strategy: string | null;
  readonly connector: string | null;
  readonly model: string | null;
  readonly stream: boolean;
  readonly status: RunStatus;
  readonly finishReason: string | null;
  readonly errorCode: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  readonly preparedMs: number | null;
  readonly firstTokenMs: number | null;
  readonly tools: readonly ToolTiming[];
  /** Failed tools and functions. */
  readonly problems: number;
  /** Millionths of the organization's currency; null before the end. */
  readonly costMicros: number | null;
  readonly sources: readonly Source[];
  /** Texts that the tools found, cut and redacted. Lists leave them out. */
  readonly passages: readonly SourcePassage[];
  readonly usage: Usage | null;
  readonly events: readonly StampedRunEvent[];
  readonly report: ShapedReport | null;
  /** True for a run with an event log, which no request waits for. */
  readonly background: boolean;
  /** Plan of the strategy `planned`; null before it is ready. */
  readonly plan: PlanSummary | null;
  /** True for a definition that was not saved. Statistics leave these runs out. */
  readonly draft: boolean;
  /** Null before the asker rates it. */
  readonly rating: RunRating | null;
  /** The run that this one repeats; null for an ordinary run. */
  readonly replay: RunReplay | null;
  /** Whole texts of a run that has just ended, until its line is written. */
  readonly ending?: RunEnding;
}

/** Texts for the recording and the receipt. */
export interface RunEnding {
  readonly facts?: RunFacts;
  /** Whole text. */
  readonly question: string;
  readonly secrets: readonly string[];
}

export interface RunFilter {
  /** Adds this member's runs of other organizations' assistants. */
  readonly asker?: string;
  readonly assistantId?: number;
  readonly status?: RunStatus;
  /** Only runs with failed tools or functions, or only runs without. */
  readonly hasProblems?: boolean;
  /** Milliseconds since 1970, inclusive. */
  readonly from?: number;
  /** Milliseconds since 1970, exclusive. */
  readonly to?: number;
  /** The asker. */
  readonly userId?: string;
  readonly rating?: RatingValue;
  /** Part of the question, in any case. */
  readonly question?: string;
  /** Limits the list to this user's runs and all runs of these assistants. Absent: the whole organization. */
  readonly visibleTo?: { readonly userId: string; readonly assistantIds: readonly number[] };
  /** Assistants within the reach of the credential; absent or null: all. */
  readonly onlyAssistants?: readonly number[] | null;
  /** Leaves out runs of definitions that were not saved. */
  readonly withoutDrafts?: boolean;
}

export interface RunPage extends Page<RunRecord> {
  /**
   * A search of questions has not looked at older runs than of this time, in milliseconds since 1970; the next page goes
   * on there. Null otherwise.
   */
  readonly lookedBackTo: number | null;
}

/** Statistics of one assistant. Times are milliseconds, null without runs. */
export interface RunStats {
  readonly runs: number;
  readonly failures: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly tools: readonly {
    readonly plugin: string;
    readonly placeholder: string | null;
    readonly calls: number;
    readonly failures: number;
    readonly avg_ms: number | null;
    readonly p95_ms: number | null;
  }[];
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number };
}

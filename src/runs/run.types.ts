import type {
  BoundedTry,
  Caller,
  ErrorCode,
  FunctionCallRef,
  PlanSummary,
  RunStatus,
  Source,
  StampedRunEvent,
  Usage,
} from '../kernel';
import type { RunReport, ShapedReport } from './report/report.types';

export interface RunInput {
  readonly assistant: {
    readonly id: number;
    readonly name: string;
    readonly organizationId: string;
    readonly ownerId: string;
    readonly type: 'classic' | 'multi_tool';
  };
  readonly caller: Caller;
  readonly strategy: string | null;
  readonly stream: boolean;
  /** The run on whose behalf this one runs; absent or null for a run of its own. */
  readonly parentRunId?: string | null;
}

/** How a run ended; everything but `status` is what was known by then. */
export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly finishReason?: string | null;
  readonly errorCode?: ErrorCode | null;
  /** Client-safe text of the failure, or the reason of the cancellation. */
  readonly message?: string;
  readonly connector?: string | null;
  readonly model?: string | null;
  readonly sources?: readonly Source[];
  readonly usage?: Usage | null;
  readonly report?: RunReport | null;
  /** Monotonic milliseconds since the run was opened; null when it did not get that far. */
  readonly preparedMs?: number | null;
  readonly firstTokenMs?: number | null;
  /** Values that must not appear in the stored report: provider keys and tokens of the organization. */
  readonly secrets?: readonly string[];
}

/** Time and result of one tool of the run, or of one function that the model called. */
export interface ToolTiming {
  readonly index: number;
  readonly plugin: string;
  readonly placeholder: string | null;
  readonly status: 'completed' | 'failed' | 'skipped';
  readonly duration_ms: number | null;
  readonly chars: number | null;
  readonly cached: boolean;
  readonly retries: number;
  /** The last try that history ended before its time; absent where it ended none. */
  readonly bounded?: BoundedTry;
  readonly code: string | null;
  /** 0..1; null where the tool states none. */
  readonly confidence: number | null;
  /** The tool that answered in its place. */
  readonly fallback?: string;
  /** Id of the plan's step: one tool may have several. */
  readonly step?: string;
  /** Set for functions that the model called: `index` then counts its calls. */
  readonly call?: FunctionCallRef;
}

/** One run as it is kept. Times in milliseconds are monotonic, `createdAt` and `finishedAt` ISO 8601 UTC. */
export interface RunRecord {
  readonly id: string;
  /** Whose assistant ran, and who pays for it. */
  readonly organizationId: string;
  /** Where the question came from, when that is another organization; else null. */
  readonly callerOrganizationId: string | null;
  /** The run on whose behalf it ran; null for one that a client asked for. */
  readonly parentRunId: string | null;
  readonly userId: string;
  readonly credentialId: string | null;
  readonly assistantId: number;
  readonly assistantName: string;
  readonly assistantType: 'classic' | 'multi_tool';
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
  readonly sources: readonly Source[];
  readonly usage: Usage | null;
  readonly events: readonly StampedRunEvent[];
  readonly report: ShapedReport | null;
  /** Started by itself instead of answering a request: its events lie in a log of their own. */
  readonly background: boolean;
  /** Of the strategy `planned`, once there is one. */
  readonly plan: PlanSummary | null;
}

export interface RunFilter {
  /** Adds runs that this member asked of other organizations' assistants. */
  readonly asker?: string;
  readonly assistantId?: number;
  readonly status?: RunStatus;
  /** Runs that this user asked for, and of these assistants whoever ran them. Absent: every run of the organization. */
  readonly visibleTo?: { readonly userId: string; readonly assistantIds: readonly number[] };
  /** When set, only runs of these assistants (a credential bound to a list of assistants). */
  readonly onlyAssistants?: readonly number[] | null;
}

/** Figures of one assistant for its statistics page; times in milliseconds, null when nothing ran. */
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

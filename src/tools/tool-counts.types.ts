/** The figures of one tool call. */
export interface CountedCall {
  readonly failed: boolean;
  readonly retries: number;
  /** The result was kept from an earlier call: nothing ran, so nothing else of this counts. */
  readonly cached: boolean;
  /** Its fallback answered. */
  readonly fellBack: boolean;
  /** Milliseconds of the try that succeeded; null when none did. */
  readonly durationMs: number | null;
  readonly confidence: number | null;
}

/** Sums over calls of one tool in one organization. They merge by adding. */
export interface ToolCounts {
  /** Calls that ran; those answered from kept results are `cacheHits` instead. */
  calls: number;
  failures: number;
  retries: number;
  cacheHits: number;
  fallbacks: number;
  /** Milliseconds of successful tries. */
  durationSum: number;
  /** Successful tries by duration; `duration-histogram`. */
  durations: number[];
  confidenceSum: number;
  confidences: number;
}

/** Counts of one organization, tool and day. */
export interface ToolDay {
  readonly organizationId: string;
  readonly plugin: string;
  /** UTC, `2026-11-22`. */
  readonly day: string;
  readonly counts: ToolCounts;
}

/** Figures of one tool in one organization over the last days. */
export interface ToolStats {
  readonly calls: number;
  /** 0..1 of `calls`, retries having been in vain. */
  readonly failure_rate: number;
  /** Average time of successful tries, in milliseconds; null when none succeeded. */
  readonly avg_ms: number | null;
  readonly p95_ms: number | null;
  /** Average of the results that stated one; null when none did. */
  readonly confidence: number | null;
}

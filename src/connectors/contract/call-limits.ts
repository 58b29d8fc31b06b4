/** How long a vendor may take and how much it may send. Milliseconds unless said. */
export interface ModelCallLimits {
  /** Until the response headers of a stream. */
  readonly firstByteMs: number;
  /** Between two reads of a stream. */
  readonly idleMs: number;
  readonly streamTotalMs: number;
  /** A whole plain call, all tries and waits included. */
  readonly plainTotalMs: number;
  readonly tries: number;
  /** First wait between tries; doubles. */
  readonly backoffMs: number;
  /** Longest wait; a vendor that asks for more is not asked again. */
  readonly maxWaitMs: number;
  /** Characters of one answer. */
  readonly maxAnswerChars: number;
}

export const DEFAULT_CALL_LIMITS: ModelCallLimits = {
  firstByteMs: 30_000,
  idleMs: 30_000,
  streamTotalMs: 300_000,
  plainTotalMs: 120_000,
  tries: 3,
  backoffMs: 500,
  maxWaitMs: 20_000,
  maxAnswerChars: 4_000_000,
};

/** Token by which a deployment or a test replaces the limits. */
export const MODEL_CALL_LIMITS = Symbol('MODEL_CALL_LIMITS');

import type { RatingValue } from '../../../src/runs';

/** Result of the searches for one answer, see `findingOf`. */
export type Finding = 'nothing' | 'weak' | 'good';

/** A question of the class, as its record keeps it. */
export interface AskedQuestion {
  readonly runId: string;
  readonly userId: string;
  /** Null after the contents were deleted. */
  readonly text: string | null;
  readonly time: number;
  readonly firstTokenMs: number | null;
  /** Null unless the answer is complete. */
  readonly answerMs: number | null;
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number } | null;
  readonly costMicros: number | null;
  /** Null when nothing was searched. */
  readonly finding: Finding | null;
  readonly rating: { readonly value: RatingValue; readonly reason: string | null } | null;
}

/** One use of a tool: its plugin, the way it ended, the length of its result, and whether its match was weak. */
export type ToolUse = readonly [plugin: string, status: string, chars: number | null, weak: boolean | null];

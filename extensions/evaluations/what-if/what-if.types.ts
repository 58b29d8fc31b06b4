import type { Problem, RunStatus } from '@bellwether/kernel';
import type { RunRecord } from '../../../src/runs';

/** Why a run could not be repeated. */
export interface ReplayRefusal {
  readonly code: string;
  readonly detail: string;
  readonly reason?: string;
  readonly problems: readonly Problem[];
}

export interface ReplayItem {
  /** The repeated run. */
  readonly of: string;
  /** Its repetition; null before it is started. */
  readonly run: string | null;
  readonly refusal: ReplayRefusal | null;
}

/** One of two runs that are compared. */
export interface ComparedRun {
  readonly record: RunRecord;
  readonly status: RunStatus;
  /** Null when it was not kept. */
  readonly answer: string | null;
}

/** Passages of the repetition beside those of the run. */
export interface PassageDifference {
  readonly kept: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

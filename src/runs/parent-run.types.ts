import type { Caller } from '../kernel';
import type { RunBudget } from './run-budget';

/** The run on whose behalf another one runs. */
export interface ParentRun {
  readonly runId: string;
  /** Of the run to come, not of the parent: 1 for an assistant that a run of depth 0 calls. */
  readonly depth: number;
  /** The parent's own: what the child spends is spent. It holds the deadline, too. */
  readonly budget: RunBudget;
  /** True when fresh rows still allow the call that the child run answers. */
  readonly mayGoOn: (caller: Caller) => Promise<boolean>;
}

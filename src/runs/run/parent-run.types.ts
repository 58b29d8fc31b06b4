import type { Caller } from '../../kernel';
import type { RunBudget } from './run-budget';

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

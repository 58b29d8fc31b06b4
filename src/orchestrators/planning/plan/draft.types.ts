import type { JsonObject, Usage } from '../../../kernel';
import type { Decomposition, PlannerName } from './planning.types';
import type { ToolFacts } from '../selection/tool-facts';

/** A step before order, times and fallbacks are known. */
export interface DraftStep {
  readonly id: string;
  readonly facts: ToolFacts;
  readonly query: string;
  /** `top_k`, `threshold`; checked. */
  readonly config: JsonObject;
  /** Ids of drafts. */
  readonly after: readonly string[];
}

/** The tools that a planner chose, with its reasons. */
export interface Draft {
  readonly planner: PlannerName;
  readonly decomposition: Decomposition;
  readonly steps: readonly DraftStep[];
  readonly reasoning: string;
  /** 0..1 */
  readonly confidence: number;
  readonly warnings: readonly string[];
  readonly usage: Usage | null;
}

import type { ToolOutcome } from '../contract';

/** `fits`: some material may answer. `nothing`: none does. `unread`: none does, and a tool that might know failed. */
export type MaterialFit = 'fits' | 'nothing' | 'unread';

/** Material that was found by a good match, or that no match is known of. */
const isEvidence = (outcome: ToolOutcome): boolean =>
  outcome.status === 'completed' &&
  (outcome.evidence ?? 'found') === 'found' &&
  outcome.chars > 0 &&
  outcome.search?.match?.weak !== true;

/** Whether the material of a run fits its question. */
export function materialFit(outcomes: readonly ToolOutcome[]): MaterialFit {
  if (outcomes.some(isEvidence)) return 'fits';
  return outcomes.some(({ status }) => status === 'failed') ? 'unread' : 'nothing';
}

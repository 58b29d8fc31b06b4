import type { RunRecord } from '../../../src/runs';
import type { TestedAnswer } from '../contract';

interface Answered {
  readonly question: string;
  readonly text: string;
  readonly fixed: boolean;
}

export const testedAnswer = (
  { sources, passages, durationMs, costMicros }: RunRecord,
  { question, text, fixed }: Answered,
): TestedAnswer => ({
  ...{ question, answer: text, fixed, sources, passages, costMicros },
  durationMs: durationMs ?? 0,
});

import type { Run, RunEvent, Source } from './run-events';
import { ended, reduceAll, type RunState } from './run-state';

/** The state of a run whose events are gone or incomplete, from its record. Its failures have a code without words. */
export function settled(state: RunState, run: Run): RunState {
  const told = reduceAll(state, (run.events ?? []) as unknown as readonly RunEvent[]);
  const sources = run.sources as unknown as readonly Source[];
  const { status, strategy, connector, model, usage, finish_reason: finishReason, error_code: code } = run;
  const now = Math.max(told.now, run.timings.total_ms ?? 0);
  return ended({
    ...told,
    ...{ status, now, strategy, connector, model, usage, finishReason },
    answer: run.answer ?? told.answer,
    sources: sources.length === 0 ? told.sources : sources,
    error: told.error ?? (code === null ? null : { code, message: code }),
  });
}

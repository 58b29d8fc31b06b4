import type { PipelineTool } from '../../tools';
import type { Completion } from '../completion/completion.types';

/** Abort reason of a run that has lasted longer than it may. */
export const RUN_TIMEOUT = 'run_timeout';

/** Name of the tool that asks another assistant. */
const ASSISTANT_TOOL = 'assistant';

/**
 * Aborts the run when its time is over while `work` still goes on. Runs that may start others have a deadline of their own,
 * functions and assistants: what those do is bounded by it. So have runs in the background, which nobody who leaves ends.
 * Runs under another are under that one's.
 */
export async function withinRunTime<T>(completion: Completion, work: () => Promise<T>): Promise<T> {
  if (!hasDeadline(completion)) return work();
  const { run, budget } = completion;
  const timer = setTimeout(() => run.abort(RUN_TIMEOUT), budget.remainingMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

const hasDeadline = ({ depth, run, assistant: { document } }: Completion): boolean =>
  depth === 0 && (run.background || document.functions.length > 0 || document.pipeline.some(asksAnAssistant));

const asksAnAssistant = ({ enabled, plugin, fallback }: PipelineTool): boolean =>
  enabled && (plugin === ASSISTANT_TOOL || fallback?.plugin === ASSISTANT_TOOL);

import type { PipelineTool } from '../../tools';
import type { Completion } from '../completion/completion.types';

/** Abort reason of a run that exceeds its time limit. */
export const RUN_TIMEOUT = 'run_timeout';

/** Name of the tool that asks another assistant. */
const ASSISTANT_TOOL = 'assistant';

/**
 * Aborts the run when its time is over before `work` ends. Runs with functions or called assistants have a deadline, and
 * so do background runs, which no leaving client ends. Nested runs share the deadline of their parent.
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

import type { ToolEntry } from '$lib/features/pipeline/pipeline.svelte';
import { same } from '$lib/kit/ui/differences';
import type { LiveRun } from '$lib/features/run/live-run.svelte';
import type { Span } from '$lib/features/run/run-state';
import type { FlowState, FlowStates } from '$lib/features/strategies/flow-graph';

/** A run of the playground, and the tools that the form held when it began. */
export interface LastRun {
  readonly live: LiveRun;
  readonly tools: readonly ToolEntry[];
}

const stateOf = ({ status, cached }: Span): FlowState | null =>
  status === 'cancelled' ? null : status === 'completed' && cached ? 'cached' : status;

/**
 * Results of the tools in the last run, by their positions now. A tool that was changed since has none: nothing is
 * known of what it would do.
 */
export function flowStates(run: LastRun | null, tools: readonly ToolEntry[]): FlowStates {
  if (run === null) return {};
  const spans = run.live.state.spans.filter(({ kind, index }) => kind === 'tool' && index !== null);
  const states: Record<number, FlowState> = {};
  for (const [now, tool] of tools.entries()) {
    const then = run.tools.findIndex(({ key }) => key === tool.key);
    const before = run.tools[then];
    if (before === undefined || !isSame(before, tool)) continue;
    // The last one of a tool: a plan may ask it twice.
    const span = spans.findLast(({ index }) => index === then);
    const state = span === undefined ? null : stateOf(span);
    if (state !== null) states[now] = state;
  }
  return states;
}

/** Equal tools, whatever their place and number. */
const isSame = (a: ToolEntry, b: ToolEntry): boolean =>
  a.plugin === b.plugin && a.enabled === b.enabled && same(a.config, b.config);

import type { StampedRunEvent } from '@bellwether/kernel';
import type { Completion } from './completion.types';

/** A planner's reasoning reveals results of tools and the definition: only editors may read it. */
export function withoutReasoning<T extends object>(plan: T): Omit<T, 'reasoning'> {
  const { reasoning: _, ...rest } = plan as T & { readonly reasoning?: unknown };
  return rest;
}

/** Stands for the name of a plugin or function. */
const TOOL = 'tool';

const REF = { plugin: TOOL, placeholder: null };

/** Members that may name tools, knowledge bases, files or models, with neutral values, by event type. */
const NAMELESS: Readonly<Record<string, object>> = {
  'run.progress': { message: '🔄 The tools are running' },
  warning: { message: '⚠️ The run goes on with less than it was set up with' },
  'tool.started': { ...REF, message: '🔄 Executing a tool' },
  'tool.progress': { ...REF, message: '🔄 A tool is running' },
  'tool.retry': { ...REF, message: '🔁 A tool is tried again' },
  'tool.skipped': { ...REF, reason: 'skipped', message: '⏭️ Tool skipped' },
  'tool.completed': { ...REF, message: '✅ Tool completed' },
  'tool.failed': { ...REF, message: '❌ Tool failed' },
  'plan.ready': { steps: [], stages: [], message: '🧭 The plan is ready' },
  'answer.checked': { ...REF, result: {}, message: '🔍 The answer was checked' },
  'llm.tool_call': { name: TOOL },
};

/** Ids, figures and codes. An allowlist, so that new members stay hidden until they are added here. */
const KEPT: ReadonlySet<string> = new Set([
  ...['run_id', 'seq', 'at', 'type', 'index', 'id', 'round', 'code', 'attempt', 'delay_ms', 'retries', 'chars'],
  ...['sources', 'duration_ms', 'cached', 'confidence', 'plan_id', 'planner'],
]);

/** An event for callers of another organization, without names from the definition. */
export function forOutsiders(event: StampedRunEvent): StampedRunEvent {
  const nameless = NAMELESS[event.type];
  if (nameless === undefined) return event;
  const kept = Object.fromEntries(Object.entries(event).filter(([member]) => KEPT.has(member)));
  const call = 'call' in event && event.call !== undefined ? { call: { ...event.call, name: TOOL } } : {};
  return { ...kept, ...call, ...searchOf(event), ...nameless } as unknown as StampedRunEvent;
}

/** That the material hardly fits, in other words or another language; no figures. */
function searchOf(event: StampedRunEvent): object {
  if (event.type !== 'tool.completed' || event.search === undefined) return {};
  const { match, ...rest } = event.search;
  return { search: match === undefined ? rest : { ...rest, match: { weak: match.weak } } };
}

/** An event for callers who may use the assistant but not edit it. */
export const forUsers = (event: StampedRunEvent): StampedRunEvent =>
  event.type === 'plan.ready' ? (withoutReasoning(event) as StampedRunEvent) : event;

/** An event of a completion as its caller may see it. */
export function toldEvent({ assistant, hidesSources }: Completion, event: StampedRunEvent): StampedRunEvent {
  if (hidesSources) return forOutsiders(event);
  return assistant.disclosure === 'none' ? forUsers(event) : event;
}

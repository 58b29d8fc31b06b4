import type { LoggedEvent } from '../../runs';

/** A planner's reasoning reveals results of tools and the definition: only editors may read it. */
export function withoutReasoning<T extends object>(plan: T): Omit<T, 'reasoning'> {
  const { reasoning: _, ...rest } = plan as T & { readonly reasoning?: unknown };
  return rest;
}

/** A logged event for callers who may not edit the assistant. */
export const withoutPlanReasoning = (event: LoggedEvent): LoggedEvent =>
  event.type === 'plan.ready'
    ? { ...event, data: JSON.stringify(withoutReasoning(JSON.parse(event.data) as object)) }
    : event;

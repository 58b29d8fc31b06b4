/** A planner's reasoning reveals results of tools and the definition: only editors may read it. */
export function withoutReasoning<T extends object>(plan: T): Omit<T, 'reasoning'> {
  const { reasoning: _, ...rest } = plan as T & { readonly reasoning?: unknown };
  return rest;
}

/** What a planner says of its reasons is about what the tools found and how the assistant is made: for who may edit it. */
export function withoutReasoning<T extends object>(plan: T): Omit<T, 'reasoning'> {
  const { reasoning: _, ...rest } = plan as T & { readonly reasoning?: unknown };
  return rest;
}

const PLAN_FRAME = /^(id: \d+\nevent: plan\.ready\ndata: )(.*)$/gm;

/** Whole frames of a run's events; the others stay as they are. */
export const framesWithoutReasoning = (frames: string): string =>
  frames.replace(
    PLAN_FRAME,
    (_, head: string, data: string) => head + JSON.stringify(withoutReasoning(JSON.parse(data) as object)),
  );

/** The slot that the question fills; never the placeholder of a tool. */
export const USER_INPUT = 'user_input';

const REMOVED = 'removed_';
const NUMBERED = /^(\d+)_([\s\S]+)$/;

export interface PlaceholderName {
  /** null in an unnumbered placeholder such as `context`. */
  readonly number: number | null;
  readonly type: string;
  /** True for the trace that a removed tool leaves, `removed_2_context`. */
  readonly removed: boolean;
}

/** Reads `context`, `2_context` and `removed_2_context` where `isType('context')`; anything else is null. */
export function parsePlaceholder(name: string, isType: (type: string) => boolean): PlaceholderName | null {
  if (isType(name)) return { number: null, type: name, removed: false };
  const removed = name.startsWith(REMOVED);
  const match = NUMBERED.exec(removed ? name.slice(REMOVED.length) : name);
  if (match?.[1] === undefined || match[2] === undefined || !isType(match[2])) return null;
  return { number: Number(match[1]), type: match[2], removed };
}

/** Whether a tool that fills `type` may carry this placeholder: `<type>` or `<n>_<type>`. */
export function isPlaceholderFor(type: string, placeholder: string): boolean {
  if (placeholder === USER_INPUT) return false;
  const parsed = parsePlaceholder(placeholder, (candidate) => candidate === type);
  return parsed !== null && !parsed.removed;
}

/** The placeholder that is generated for a tool at a position (from 1) when its author gave none. */
export const numberedPlaceholder = (order: number, type: string): string => `${order}_${type}`;

/** The value with the highest count. */
export const mostFrequent = <T>(counts: ReadonlyMap<T, number>, none: T): T =>
  [...counts].reduce<readonly [T, number]>((best, entry) => (entry[1] > best[1] ? entry : best), [none, -1])[0];

/** Numbers of characters by a property of their lines. */
export function characterCounts<Line extends { readonly text: string }, T>(
  lines: readonly Line[],
  property: (line: Line) => T,
): Map<T, number> {
  const counts = new Map<T, number>();
  for (const line of lines) {
    const value = property(line);
    counts.set(value, (counts.get(value) ?? 0) + line.text.length);
  }
  return counts;
}

const MAX_NAME = 200;

/** The name without a number that an earlier import gave it. */
export const unnumbered = (name: string): string => name.replace(/ \(\d{1,4}\)$/, '');

/** `name`, or the first of "name (2)", "name (3)", … that is not taken; "name (2)" counts on. At most 200 UTF-16 units. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const plain = unnumbered(name);
  for (let number = 2; ; number += 1) {
    const suffix = ` (${number})`;
    const numbered = plain.slice(0, MAX_NAME - suffix.length).toWellFormed() + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

const MAX_NAME = 200;

/** `name`, or the first of "name (2)", "name (3)", … that is not taken. At most 200 UTF-16 units. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const suffix = ` (${number})`;
    const numbered = name.slice(0, MAX_NAME - suffix.length).toWellFormed() + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

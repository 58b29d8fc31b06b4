type SnakeKey<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeKey<Rest>}`
  : Key;

/** The JSON form of a value with `snake_case` members. */
export type SnakeCased<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? SnakeCased<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T as Key extends string ? SnakeKey<Key> : never]: SnakeCased<T[Key]> }
      : T;

/** Renames the members of an answer for HTTP and the commands, at every depth. Dates become ISO 8601. */
export function snakeCased<T>(value: T): SnakeCased<T> {
  return renamed(value) as SnakeCased<T>;
}

function renamed(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      renamed(inner),
    ]),
  );
}

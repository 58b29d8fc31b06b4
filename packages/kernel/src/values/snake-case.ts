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

/** Renames members for HTTP and the commands, at every depth. Dates become ISO 8601. */
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

type CamelKey<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelKey<Tail>>}`
  : Key;

/** The domain's form of an answer or body of HTTP. */
export type CamelCased<T> = T extends readonly (infer Item)[]
  ? readonly CamelCased<Item>[]
  : T extends object
    ? { readonly [Key in keyof T as Key extends string ? CamelKey<Key> : never]: CamelCased<T[Key]> }
    : T;

/** Renames the members of a flat body; absent ones stay absent. */
export const camelCased = <T extends object>(body: T): CamelCased<T> =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value as unknown]),
  ) as CamelCased<T>;

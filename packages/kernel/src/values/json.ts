export type JsonObject = { readonly [member: string]: unknown };

/** A plain JSON object: not null, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All members inside in the order of their names: `jsonb` and clients have orders of their own. */
export function inNameOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inNameOrder);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, inNameOrder(value[name])]),
  );
}

const textOf = (value: unknown): string | undefined => JSON.stringify(inNameOrder(value));

/** Equal content of values that are, or become, JSON. */
export const sameJson = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** JSON Schema of an object with these members, all of them required, and no others. */
export const strictObject = (properties: Readonly<Record<string, object>>) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties),
  additionalProperties: false as const,
});

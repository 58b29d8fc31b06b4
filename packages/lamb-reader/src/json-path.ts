import { isJsonObject, type JsonObject } from '@bellwether/kernel';

/** The value below `path`; undefined when it is missing. */
export const valueAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner, key) => (isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);

/** The object below `path`; empty when it is missing or something else. */
export const objectAt = (value: unknown, ...path: readonly string[]): JsonObject => {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
};

import { isJsonObject, type JsonObject } from '@bellwether/kernel';

export type ParsedMetadata =
  { readonly ok: true; readonly metadata: JsonObject } | { readonly ok: false; readonly message: string };

/** Accepts an object, a JSON string (LAMB clients), or nothing (absent, null, ""). */
export function parseMetadata(raw: unknown): ParsedMetadata {
  if (raw === undefined || raw === null) return { ok: true, metadata: {} };
  if (typeof raw !== 'string') return asObject(raw);
  if (raw.trim() === '') return { ok: true, metadata: {} };
  try {
    return asObject((JSON.parse(raw) as unknown) ?? {});
  } catch {
    return { ok: false, message: 'must be a JSON object or a string that holds one' };
  }
}

function asObject(value: unknown): ParsedMetadata {
  if (isJsonObject(value)) return { ok: true, metadata: value };
  return { ok: false, message: 'must be a JSON object or a string that holds one' };
}

/** Own property of a document: a key such as `constructor` never reaches the prototype. */
export const member = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Trimmed own string property; null when it is missing, empty or of another type. */
export function textMember(object: JsonObject, key: string): string | null {
  const value = member(object, key);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

/** Own object property; empty when it is missing or of another type. */
export function objectMember(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isJsonObject(value) ? value : {};
}

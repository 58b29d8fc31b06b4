import type { ModelChunk } from '../../connectors';
import { isJsonObject, type JsonObject } from '../../kernel';

/** Removes members that only the vendor needs back. */
export function withoutThoughts(message: JsonObject): JsonObject {
  const { reasoning_content: _reasoning, extra_content: _extra, ...rest } = message;
  return rest;
}

/** A chunk for callers who may not see the whole prompt, which thoughts quote. */
export function chunkWithoutThoughts(chunk: ModelChunk): ModelChunk {
  if (chunk.echoed === undefined) return chunk;
  const data: unknown = JSON.parse(chunk.data);
  if (!isJsonObject(data) || !Array.isArray(data['choices'])) return chunk;
  const choices = (data['choices'] as unknown[]).map((choice) =>
    isJsonObject(choice) && isJsonObject(choice['delta'])
      ? { ...choice, delta: withoutThoughts(choice['delta']) }
      : choice,
  );
  return { ...chunk, data: JSON.stringify({ ...data, choices }) };
}
